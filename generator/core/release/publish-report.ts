import { changeWords, count, countWords } from '../../../schemas/words.js';
import { byChain, CHAIN_IDS } from '../../../schemas/catalog.js';
import { UNKNOWN_ADDRESS } from '../../../schemas/paths.js';
import type { Chain, ReleaseRecord, Site } from '../../../schemas/types.generated.js';
import type { ExitName } from '../generator-error.js';
import type { InputFault } from '../input/input-series.js';
import {
  type ChainPlan,
  type Plan,
  type Refusal,
  type MetricChange,
  type Restatement,
} from './plan-types.js';

/** The outcome of publish or plan: the document that `--json` prints. */
export type PublishReport = {
  readonly outcome: 'published' | 'unchanged' | 'refused' | 'partial';
  /** True for a plan: nothing was written, and the revision is the one that would be published. */
  readonly dry_run: boolean;
  readonly revision: string | null;
  readonly sequence: number | null;
  readonly published_at: string | null;
  readonly chains: { readonly [chain in Chain]?: ChainReport };
  readonly written: { readonly objects: number; readonly bytes: number };
  readonly plan_digest: string | null;
  readonly methodology_changed: boolean;
  /** Digest of all refusals that wait for a person; null if the run refused nothing. */
  readonly refusal_digest: string | null;
  /** True if earlier runs refused everything that this one refuses: it was reported already. */
  readonly same_as_before: boolean;
  readonly faults: readonly InputFault[];
  /** Faults of chains on hold, which stop nothing. */
  readonly held_faults: readonly InputFault[];
};

type ChainReport = Omit<ChainPlan, 'outcome'> & {
  /** `invalid`: the input of the chain has faults; `absent`: the input has no file of this published chain. */
  readonly outcome: ChainPlan['outcome'] | 'invalid' | 'absent';
  /** Time of the first run that refused exactly this; absent if this is the first one. */
  readonly refused_since?: string;
};

/** What a run refused, compared with what was refused before. */
export type RefusalNote = {
  /** Digest of all refusals that wait for a person; null if the run refused nothing. */
  readonly digest: string | null;
  readonly sameAsBefore: boolean;
  /** The refusals that an earlier run recorded, with the time of the first one. */
  readonly known: readonly { readonly chain: Chain | null; readonly since: string }[];
};

const NOTHING_KNOWN: RefusalNote = { digest: null, sameAsBefore: false, known: [] };

/** Options for `toPublishReport`. `release` is the one in force after the run. */
type ReportOptions = {
  readonly plan: Plan;
  readonly faults: readonly InputFault[];
  readonly heldFaults: readonly InputFault[];
  readonly invalid: readonly Chain[];
  readonly absent: readonly Chain[];
  readonly release: ReleaseRecord | undefined;
  readonly written: { readonly objects: number; readonly bytes: number };
  readonly dryRun: boolean;
  readonly refusals?: RefusalNote;
  /** Returns how many dates a chain has published. */
  readonly listed: (chain: Chain) => number;
};

export function toPublishReport({
  plan,
  faults,
  heldFaults,
  invalid,
  absent,
  release,
  written,
  dryRun,
  refusals = NOTHING_KNOWN,
  listed,
}: ReportOptions): PublishReport {
  const isStopped = plan.methodologyChanged || faults.length > 0 || refusedChains(plan).length > 0;
  const hasRelease = plan.release !== undefined;
  const complete = hasRelease ? 'published' : 'unchanged';
  return {
    outcome: !isStopped ? complete : hasRelease ? 'partial' : 'refused',
    dry_run: dryRun,
    revision: release?.revision ?? null,
    sequence: release?.sequence ?? null,
    published_at: release?.published_at ?? null,
    chains: byChain((chain) => {
      const isInvalid = invalid.includes(chain);
      if (!isInvalid && !absent.includes(chain)) return withSince(chain, plan.chains[chain], refusals);
      const through = release?.chains[chain]?.updated_through ?? null;
      const state = { updated_through: through, new: 0, restated: 0, unchanged: listed(chain) };
      const hold = release?.holds?.[chain];
      if (hold !== undefined) return { outcome: 'held', ...state, hold };
      return { outcome: isInvalid ? 'invalid' : 'absent', ...state };
    }),
    written,
    plan_digest: plan.plan_digest ?? null,
    methodology_changed: plan.methodologyChanged,
    refusal_digest: refusals.digest,
    same_as_before: refusals.sameAsBefore,
    faults,
    held_faults: heldFaults,
  };
}

function withSince(
  chain: Chain,
  plan: ChainPlan | undefined,
  { known }: RefusalNote,
): ChainReport | undefined {
  const since = known.find((each) => each.chain === chain)?.since;
  return plan === undefined || since === undefined ? plan : { ...plan, refused_since: since };
}

/** Returns the exit of a run with this report. */
export function exitOf(report: PublishReport): ExitName {
  if (report.faults.length > 0) return 'input-invalid';
  const outcomes = Object.values(report.chains).map(({ outcome }) => outcome);
  if (outcomes.includes('held') && outcomes.every((each) => each === 'held' || each === 'absent'))
    return 'held';
  const refused = Object.values(report.chains).some(({ outcome }) => outcome === 'refused');
  return refused || report.methodology_changed ? 'refused' : 'done';
}

function refusedChains(plan: Plan): Chain[] {
  return CHAIN_IDS.filter((chain) => plan.chains[chain]?.outcome === 'refused');
}

/** Explains that a chain is on hold and how to end that, as a line for a person. */
export function explainHold(chain: Chain, hold: string, unholdCommand: string): string {
  return `${chain}: publication is held: ${hold}. Once the cause is fixed: ${unholdCommand}`;
}

/** Options for `explainRefusal`. */
export type ExplainOptions = {
  /** The last line, if accepting helps. */
  readonly acceptCommand: string;
  /** The last line otherwise. */
  readonly againCommand: string;
  /** True for an input that `generator collect` keeps. */
  readonly isCollected: boolean;
};

/** Explains why a chain was refused and what to do, as lines for a person. */
export function explainRefusal(
  chain: Chain,
  refusal: Refusal,
  { acceptCommand, againCommand, isCollected }: ExplainOptions,
): string[] {
  if (refusal.kind === 'drop') {
    return [
      `${chain}: refused: published history is missing from the input. No option accepts this:`,
      ...refusal.drops.map((drop) => `  ${describeDrop(drop)}`),
      '  Fix the input, which may be a truncated download, and run again:',
      `  ${againCommand}`,
    ];
  }
  const { restatement } = refusal;
  return [
    `${chain}: refused: ${summarizeRefusal(refusal)}`,
    ...describeCauses(restatement),
    ...restatement.metrics.map((metric) => `  ${describeMetric(metric)}`),
    restatement.label_changes.length === 0
      ? '  no label changes'
      : `  ${count(restatement.label_changes.length, 'label change')}: ${listSome(restatement.label_changes.map(({ date, from, to }) => `${date} ${from} -> ${to}`))}`,
    ...(refusal.kind === 'plan-mismatch'
      ? ['  --plan does not match: the input or the published state has changed since the plan was shown']
      : []),
    ...explainCollection(refusal, isCollected),
    '  To publish exactly this, write the public reason into this command and run it:',
    `  ${acceptCommand}`,
  ];
}

/** Explains what recorded changes have to do with a refused restatement. */
function explainCollection(refusal: Exclude<Refusal, { kind: 'drop' }>, isCollected: boolean): string[] {
  const missing = refusal.kind === 'restatement' ? refusal.not_recorded : undefined;
  if (missing !== undefined)
    return [`  --accept-collected does not accept what the collection did not record: ${listSome(missing)}`];
  const { input_dates: changed, added_dates: added } = refusal.restatement;
  if (changed.length + added.length === 0) return [];
  return isCollected
    ? ['  To publish what the collection recorded, and nothing else, run with --accept-collected']
    : [
        '  For late and revised values, let generator collect read this folder as a source of kind "files": it takes them by rule',
      ];
}

/** Returns why a chain was refused, in one line. */
export function summarizeRefusal(refusal: Refusal): string {
  if (refusal.kind === 'drop')
    return `published history is missing from the input: ${listSome(refusal.drops.map(describeDrop))}`;
  const { dates, first_date: first, last_date: last } = refusal.restatement;
  return `${count(dates, 'published date')} would be restated, ${first} to ${last}`;
}

function describeCauses({
  input_dates: changed,
  added_dates: added,
  withdrawn_dates: withdrawn,
  metrics,
}: Restatement): string[] {
  const causes: string[] = [];
  if (withdrawn.length > 0)
    causes.push(
      `  ${count(withdrawn.length, 'date')} withdrawn by a rollback would be published again: ${listSome(withdrawn)}`,
    );
  if (added.length > 0)
    causes.push(`  the input has a new row on ${count(added.length, 'date')}: ${listSome(added)}`);
  if (changed.length > 0) {
    causes.push(`  the input changed on ${countWords(changed.length)} of them: ${listSome(changed)}`);
    if (metrics.length === 0)
      causes.push('  no metric changed on these dates, only the row or the name of its source');
  }
  if (causes.length === 0)
    causes.push('  the input did not change: the cause is the code or the methodology');
  return causes;
}

function describeDrop(drop: Extract<Refusal, { kind: 'drop' }>['drops'][number]): string {
  switch (drop.kind) {
    case 'later-start':
      return `the input begins on ${drop.input}, but the published history begins on ${drop.published}`;
    case 'earlier-end':
      return `the input ends on ${drop.input}, but the published history ends on ${drop.published}`;
    case 'gone-column':
      return `${drop.metric} has published values, but no value in the input`;
  }
}

function describeMetric({ metric, dates, largest }: MetricChange): string {
  const { date, from, to } = largest;
  const share = from === null || to === null || from === 0 ? '' : ` (${changeWords(to / from - 1)})`;
  return `${metric} changed on ${count(dates, 'date')}, most on ${date}: ${from ?? 'missing'} -> ${to ?? 'missing'}${share}`;
}

function listSome(items: readonly string[]): string {
  const first = items.slice(0, 5).join(', ');
  return items.length > 5 ? `${first} and ${countWords(items.length - 5)} more` : first;
}

/** Returns the published chains that the input lacks. `selected`: the chains that the operator chose; default: all. */
export function findAbsentChains(
  record: ReleaseRecord | undefined,
  present: readonly Chain[],
  selected: readonly Chain[] = CHAIN_IDS,
): Chain[] {
  return selected.filter((chain) => record?.chains[chain] !== undefined && !present.includes(chain));
}

/** Returns the fault of an input without the file of a published chain. */
export function absentFault(chain: Chain, record: ReleaseRecord | undefined, remedy: string): InputFault {
  const through = record?.chains[chain]?.updated_through ?? '';
  const message = `is absent from the input, but the store has ${chain} through ${through}`;
  return { chain, file: `${chain}.csv`, message, remedy };
}

/** Returns the chains that no fault names. */
export function withoutFaults(chains: readonly Chain[], faults: readonly InputFault[]): Chain[] {
  return chains.filter((chain) => !faults.some((fault) => fault.chain === chain));
}

/**
 * Returns a warning about an input without `site.json` if the published release has a site. `site`: that of the input,
 * null without the file, `undefined` if it has faults.
 */
export function absentSiteFault(
  record: ReleaseRecord | undefined,
  site: Site | null | undefined,
): InputFault | undefined {
  if (site !== null || record?.site === undefined) return undefined;
  const { name, base_url } = record.site;
  const effect = `without it, pages lose its name and links, and the notebook and examples have ${UNKNOWN_ADDRESS} instead of its address`;
  return {
    file: 'site.json',
    message: `is absent from the input, but the published release is for ${name} at ${base_url}; ${effect}`,
    remedy: 'put the file back and publish again, or ignore this if you removed it on purpose',
  };
}
