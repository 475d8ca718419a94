import { capitalized, count } from '../../schemas/words.js';
import type { Chain, ReleaseRecord } from '../../schemas/types.generated.js';
import type { ObjectStore } from '../../infra/store/object-store.js';
import { GeneratorError } from '../core/generator-error.js';
import type { ReferenceTexts } from '../core/draft/site.js';
import { absentFault, findAbsentChains } from '../core/release/publish-report.js';
import {
  type Acceptance,
  type Plan,
  type PlanRequest,
  type PublishedState,
} from '../core/release/plan-types.js';
import { unholdWords } from '../core/release/held.js';
import { chainsThatDiffer } from '../core/release/assess-chain.js';
import { nextStamp } from '../core/release/plan-release.js';
import type { InputFault } from '../core/input/input-series.js';
import type { Input } from '../input/read-input.js';
import type { Progress } from '../run/progress.js';
import { mayPlanAhead, planAhead } from './plan-ahead.js';
import { explainRestatements, planAndAccept } from './plan-with-published.js';
import { readProductTexts } from '../texts/product-texts.js';
import { readDays, readStartingPoint, withManifests, type StartingPoint } from '../state/published-state.js';
import { assertStore, isStore } from '../state/store-mark.js';
import {
  assertNotAhead,
  isAhead,
  isUnfinished,
  machineClock,
  readClock,
  type TrustedClock,
} from '../state/trusted-clock.js';
import type { Writing } from './publish-release.js';
import type { SafetyOptions } from '../../infra/store/store-safety.js';
import { methodologyDigest } from '../../schemas/methodology.js';
import { writersFingerprint } from '../core/release/writers-fingerprint.js';
import { parseInstant, toInstant } from '../../schemas/dates.js';
import { withoutOption, wordsOfOption } from '../../infra/process/shell-command.js';
import type { CollectedInput } from '../input/collected-ledgers.js';

/** Options for `preparePlan`. */
type PreparePlanOptions = CollectedInput & {
  readonly store: ObjectStore;
  readonly input: Input;
  readonly asOfMs: number;
  /** The machine's clock, in milliseconds since the epoch. It counts only if the store has no clock of its own. */
  readonly now: () => number;
  /** True to fail if there is no store yet. */
  readonly existing: boolean;
  /** True to rebuild history even if its digests show that it is unchanged. */
  readonly full: boolean;
  readonly allOrNothing: boolean;
  /** True to treat a published chain without a file as a fault of the input. */
  readonly requireAll: boolean;
  /** The chains that the operator selected; absent for all. */
  readonly chains?: readonly Chain[];
  readonly acceptance?: Acceptance;
  readonly progress: Progress;
  readonly signal?: AbortSignal;
  /** True to write a long first release while it is planned; otherwise nothing is written. */
  readonly writesAhead?: boolean;
} & Pick<SafetyOptions, 'singleWriter'>;

/** A plan, the input and state that it was made from, and the writing that began while it was made. */
export type PreparedPlan = {
  readonly input: Input;
  /** Faults of the input in chains on hold, which publish nothing: they stop nothing. */
  readonly heldFaults: readonly InputFault[];
  /** The published chains that the input lacks. */
  readonly absent: readonly Chain[];
  readonly start: StartingPoint;
  readonly plan: Plan;
  readonly writing?: Writing;
};

/**
 * Reads the published state and plans the next release.
 * @throws GeneratorError 'usage' for a wrong as-of or address, 'held' if publication is held; the errors of writing; the
 * reason of `signal` once it is aborted.
 */
export async function preparePlan(options: PreparePlanOptions): Promise<PreparedPlan> {
  const { store, asOfMs, progress, readLineages = () => [] } = options;
  progress.begin('state');
  if (options.existing) await assertStore(store);
  const isExisting = options.existing || (await isStore(store));
  const chains = options.input.series.map((series) => series.chain);
  const empty: StartingPoint = { pointer: undefined, state: undefined, aliasSequence: 0 };
  const read = isExisting ? await readStartingPoint(store, chains, []) : empty;
  progress.end(read.state ? read.state.record.revision : 'empty');
  const clock = readClock(store, options.now);
  assertNotAhead(asOfMs, clock);
  assertPublishable(read.state, options, clock);
  const record = read.state?.record;
  const absent = findAbsentChains(record, [...chains, ...options.input.invalid], options.chains);
  const finished = withoutUnfinished(options.input, clock);
  const required = options.requireAll ? withAbsent(finished, absent, record) : finished;
  const isHeld = ({ chain }: InputFault): boolean =>
    chain !== undefined && record?.holds?.[chain] !== undefined;
  const input = { ...required, faults: required.faults.filter((fault) => !isHeld(fault)) };

  progress.begin('plan');
  const texts = await readTexts(input, record);
  const start = await addManifests(read, input, texts, options);
  const found = { input, heldFaults: required.faults.filter(isHeld), absent, start };
  const request: PlanRequest = {
    inputs: input.series,
    inputInvalid: input.faults.length > 0,
    previous: start.state,
    asOfMs,
    texts,
    full: options.full,
    allOrNothing: options.allOrNothing,
    ...(record?.holds ? { holds: record.holds } : {}),
    ...(options.acceptance ? { acceptance: options.acceptance } : {}),
    lineages: await readLineages(start.state),
  };
  if (options.writesAhead === true && mayPlanAhead(request)) {
    return { ...found, ...(await planAhead(request, options)) };
  }
  const plan = await planAndAccept(store, request, options);
  progress.end(plan.release ? count(plan.release.artifacts.length, 'file') : 'nothing to publish');
  return { ...found, plan: await explainRestatements(store, plan, input.series, start.state) };
}

/** Reads the texts for the site of the input, or for the published site if that of the input has faults. */
function readTexts({ site }: Input, record: ReleaseRecord | undefined): Promise<ReferenceTexts> {
  return readProductTexts(site === undefined ? record?.site : (site ?? undefined));
}

/**
 * Adds what the plan needs of the chains whose input differs from the published one: their manifests and, unless all history
 * is made again, their newest days.
 */
async function addManifests(
  start: StartingPoint,
  { series }: Input,
  texts: ReferenceTexts,
  { store, full, asOfMs }: PreparePlanOptions,
): Promise<StartingPoint> {
  const { state } = start;
  if (state === undefined) return start;
  const methodologySha256 = methodologyDigest(texts.methodology);
  const recipe = {
    writersSha256: writersFingerprint(texts),
    methodologySha256,
    site: texts.site.details,
    full,
    revision: nextStamp(state.record, asOfMs).revision,
  };
  const chains = chainsThatDiffer(series, state, recipe);
  const listed = await withManifests(store, state, chains);
  return { ...start, state: full ? listed : { ...listed, days: await readDays(store, listed, chains) } };
}

/** Adds a fault for each absent chain. */
function withAbsent(input: Input, absent: readonly Chain[], record: ReleaseRecord | undefined): Input {
  const remedy = 'put the file back, or run without --require-all';
  return {
    ...input,
    faults: [...input.faults, ...absent.map((chain) => absentFault(chain, record, remedy))],
  };
}

function assertPublishable(
  state: PublishedState | undefined,
  { store, asOfMs, now }: PreparePlanOptions,
  clock: TrustedClock,
): void {
  if (state === undefined) return;
  const { hold } = state.record;
  if (hold !== null) {
    throw new GeneratorError(
      'held',
      `Publication is held: ${hold}. Nothing was published. Once the cause is fixed, end the hold:`,
      { next: unholdWords(store.address) },
    );
  }
  assertNotBefore(asOfMs, state.record, clock, machineClock(now));
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** More full hours than these between two releases suggest that a clock jumped: a day, and half a day to spare. */
const JUMP_HOURS = 36;

/** Throws GeneratorError 'usage' if an as-of instant is before the current release. `own` is this machine's clock. */
export function assertNotBefore(
  asOfMs: number,
  current: ReleaseRecord,
  clock: TrustedClock,
  own: TrustedClock,
): void {
  const { revision, published_at: publishedAt } = current;
  if (toInstant(asOfMs) >= publishedAt) return;
  const isBehind = isAhead(clock.nowMs, own);
  const remedy = isBehind
    ? `This machine's clock is ${count(Math.round((clock.nowMs - own.nowMs) / MINUTE_MS), 'minute')} behind ${clock.name}: set it, and run again.`
    : 'Use that instant or a later one.';
  throw new GeneratorError(
    'usage',
    isAhead(publishedAt, clock)
      ? `The current release ${revision} is from the future: it was published at ${publishedAt}, but ${clock.name} shows ${toInstant(clock.nowMs)}. Nothing was published. ${sentence(clock.caution)}"Release from the future" in generator/RUNBOOK.md says what to do now; after ${publishedAt}, publish works again.`
      : `--as-of ${toInstant(asOfMs)} is before the current release, published at ${publishedAt}. ${remedy}`,
    {
      next: (args) =>
        isAhead(publishedAt, clock)
          ? ['status', ...wordsOfOption(args, '--store')]
          : isBehind
            ? args
            : [...withoutOption(args, '--as-of'), '--as-of', publishedAt],
    },
  );
}

/** Returns a phrase as a sentence, with the space after it. */
function sentence(phrase = ''): string {
  return phrase === '' ? '' : `${capitalized(phrase)}. `;
}

/** Moves the chains whose newest date has not ended by the clock from the series to the faults. */
export function withoutUnfinished(input: Input, clock: TrustedClock): Input {
  const unfinished = input.series.filter(({ dates }) => {
    const newest = dates.at(-1);
    return newest !== undefined && isUnfinished(newest, clock);
  });
  if (unfinished.length === 0) return input;
  const faults = unfinished.map(({ chain, dates }): InputFault => ({
    chain,
    file: `${chain}.csv`,
    message: `date ${dates.at(-1) ?? ''} has not ended by ${clock.name}, ${toInstant(clock.nowMs)}`,
    remedy: `${sentence(clock.caution)}Remove the row until the day has ended, and check the clock of the machine that wrote it`,
  }));
  return {
    ...input,
    series: input.series.filter((series) => !unfinished.includes(series)),
    faults: [...input.faults, ...faults],
    invalid: [...input.invalid, ...unfinished.map(({ chain }) => chain)],
  };
}

/**
 * Returns a warning if this release is dated so long after the current one that the machine's clock may have jumped;
 * otherwise `undefined`. For a store without a clock of its own, which cannot refuse such a release.
 */
export function describeJump(current: ReleaseRecord | undefined, asOfMs: number): string | undefined {
  const hours = Math.floor((asOfMs - (parseInstant(current?.published_at ?? '') ?? NaN)) / HOUR_MS);
  if (!(hours > JUMP_HOURS)) return undefined;
  return `This release is dated ${toInstant(asOfMs)}, ${count(hours, 'hour')} after the one before it, and a directory store has no clock to compare with. If that is wrong, set this machine's clock and read "Release from the future" in generator/RUNBOOK.md.`;
}
