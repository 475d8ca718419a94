import pMap from 'p-map';
import { sha256Hex } from '../../schemas/digest.js';
import type { LedgerLine, Lineage, Manifest } from '../../schemas/types.generated.js';
import { assertValid } from '../../schemas/validate.js';
import { formatLedger } from '../core/collection/ledger/ledger.js';
import type { NewLineages } from '../core/draft/lineage-draft.js';
import { readCollected, type Ledgers } from './collected-ledgers.js';
import type { InputFolder } from './input-folder.js';
import { INPUT_LIMITS } from './input-limits.js';

const CONCURRENCY = 16;

/**
 * Reads the lineages of the dates about which the ledger has other lines than those whose lineage is published. A date of
 * which the collection lacks a lineage, because an earlier program kept none, is left out.
 * @throws GeneratorError 'damaged' if a lineage is not what it should be.
 */
export async function readNewLineages(
  folder: InputFolder,
  ledgers: Ledgers,
  published: (chain: NewLineages['chain']) => Manifest | undefined,
): Promise<NewLineages[]> {
  const found: NewLineages[] = [];
  for (const [chain, lines] of ledgers) {
    const known = new Map(
      published(chain)?.dates.map(({ date, status, ledger_sha256: sha256 }) => [
        date,
        status === 'withdrawn' ? undefined : sha256,
      ]),
    );
    const changed = [...groupByDate(lines)]
      .map(([date, each]) => ({ date, lines: each, ledgerSha256: sha256Hex(formatLedger(each)) }))
      .filter(({ date, ledgerSha256 }) => known.get(date) !== ledgerSha256);
    const read = await pMap(
      changed,
      async ({ date, lines: each, ledgerSha256 }) => {
        const documents = await Promise.all(each.map(({ lineage }) => readLineage(folder, lineage)));
        const accepted = each.flatMap((line, i) => {
          const document = documents[i];
          return document === undefined ? [] : [{ line, document }];
        });
        if (accepted.length < each.length) return [];
        return [{ ledgerSha256, document: { schema: 'day-lineage/1' as const, chain, date, accepted } }];
      },
      { concurrency: CONCURRENCY },
    );
    found.push({ chain, dates: read.flat() });
  }
  return found;
}

function readLineage(folder: InputFolder, sha256: string): Promise<Lineage | undefined> {
  const parse = (text: string): Lineage => assertValid('lineage', JSON.parse(text));
  return readCollected(folder, sha256, INPUT_LIMITS.lineageFile, parse, { mayBeAbsent: true });
}

function groupByDate(lines: readonly LedgerLine[]): Map<string, LedgerLine[]> {
  const groups = new Map<string, LedgerLine[]>();
  for (const line of lines) {
    const group = groups.get(line.date);
    if (group === undefined) groups.set(line.date, [line]);
    else group.push(line);
  }
  return groups;
}
