import { type CollectedInput } from '../../../generator/input/collected-ledgers.js';
import { parseInstant } from '../../../schemas/dates.js';
import type { InputSeries } from '../../../generator/core/input/input-series.js';
import { toPublishReport, type PublishReport } from '../../../generator/core/release/publish-report.js';
import type { Acceptance } from '../../../generator/core/release/plan-types.js';
import { type PreparedPlan, preparePlan } from '../../../generator/publish/prepare-plan.js';
import { SILENT } from '../../../generator/run/progress.js';
import { publishRelease } from '../../../generator/publish/publish-release.js';
import type { Signing } from '../../../generator/signing/signing.js';
import type { ObjectStore } from '../../../infra/store/object-store.js';

/** Options for a publication of series instead of files. */
export type PublishTestOptions = CollectedInput & {
  readonly inputs: readonly InputSeries[];
  readonly asOf: string;
  readonly acceptance?: Acceptance;
  readonly full?: boolean;
  readonly signing?: Signing;
};

/** Plans a publication of series like the command. */
export function prepareSeries(store: ObjectStore, options: PublishTestOptions): Promise<PreparedPlan> {
  return preparePlan({
    store,
    input: { series: options.inputs, faults: [], invalid: [] },
    asOfMs: parseInstant(options.asOf) ?? NaN,
    now: Date.now, // later than every date of the tests, so that each day has ended
    existing: false,
    full: options.full ?? false,
    allOrNothing: false,
    requireAll: false,
    progress: SILENT,
    ...(options.acceptance ? { acceptance: options.acceptance } : {}),
    ...(options.recorded ? { recorded: options.recorded } : {}),
    ...(options.readLineages ? { readLineages: options.readLineages } : {}),
  });
}

/** Publishes series like the command. */
export async function publishSeries(store: ObjectStore, options: PublishTestOptions): Promise<PublishReport> {
  return publishPrepared(store, await prepareSeries(store, options), options.asOf, options.signing);
}

/** Publishes a prepared plan; the clock stands at the as-of meanwhile. */
export async function publishPrepared(
  store: ObjectStore,
  prepared: PreparedPlan,
  asOf: string,
  signing?: Signing,
): Promise<PublishReport> {
  const now = (): number => parseInstant(asOf) ?? NaN;
  const { signal } = new AbortController();
  const { plan, absent, start } = prepared;
  const { release: planned } = plan;
  const options = { now, progress: SILENT, signal, signing };
  const written = await publishRelease(store, { ...prepared, release: planned }, options);
  const release = planned?.record ?? start.state?.record;
  return toPublishReport({
    plan,
    faults: [],
    heldFaults: [],
    invalid: [],
    absent,
    release,
    written,
    dryRun: false,
    listed: () => 0,
  });
}
