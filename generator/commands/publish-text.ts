import type { Paint } from '../../infra/process/paint.js';
import { formatTable } from '../../infra/process/format-table.js';
import { CHAIN_IDS } from '../../schemas/catalog.js';
import type { PublishReport } from '../core/release/publish-report.js';
import { describeSourceChanges } from '../core/release/source-changes.js';
import { count } from '../core/text/count.js';
import { bytesWords } from '../core/text/number-words.js';

/** Describes what the faults of the input mean for the chains. */
export function describeConsequences({ chains, outcome, dry_run: isPlan }: PublishReport): string {
  const invalid = CHAIN_IDS.filter((chain) => /^(invalid|absent)$/.test(chains[chain]?.outcome ?? ''));
  const kept =
    invalid.length === 0
      ? 'the faulty files were ignored'
      : `the published state of ${invalid.join(', ')} was kept`;
  if (outcome !== 'partial') return `${kept}; nothing was published`;
  return `${kept}; the other chains ${isPlan ? 'would be' : 'were'} published`;
}

/** Formats the outcome of publish or plan for a person. */
export function formatReport(result: PublishReport, paint: Paint): string {
  const rows = CHAIN_IDS.flatMap((chain) => {
    const each = result.chains[chain];
    if (each === undefined) return [];
    const outcome = each.outcome === 'absent' ? 'absent from the input' : each.outcome;
    return [[chain, paint(outcome), each.updated_through ?? '-', each.new, each.restated, each.unchanged]];
  });
  const release =
    result.revision === null ? 'no release' : `${result.revision} (sequence ${result.sequence ?? 0})`;
  const table = formatTable(['chain', 'outcome', 'through', 'new', 'restated', 'unchanged'], rows);
  const { objects, bytes } = result.written;
  const sources = CHAIN_IDS.flatMap((chain) => {
    const changes = result.chains[chain]?.sources_changed;
    return changes === undefined ? [] : [`${chain}: ${describeSourceChanges(changes)}`];
  });
  const end = `${count(objects, 'object')} written, ${bytesWords(bytes)}`;
  const outcome = result.dry_run ? `would be ${result.outcome} (nothing was written)` : result.outcome;
  return [`${outcome}: ${release}`, table, ...sources, end].join('\n');
}
