import { canonicalJson } from '../../../schemas/canonical-json.js';
import { CHAIN_IDS, GENRES } from '../../../schemas/catalog.js';
import { sha256Hex } from '../../../schemas/digest.js';
import { methodologyDigest } from '../../../schemas/methodology.js';
import { manifestPath } from '../../../schemas/paths.js';
import type { Chain, RecordedRefusal, ReleaseRecord } from '../../../schemas/types.generated.js';
import type { ReferenceTexts } from '../draft/site.js';
import type { InputSeries } from '../input/input-series.js';
import { createInputDigest } from './assess-chain.js';
import type { ChainPlan, Plan, Refusal } from './plan-types.js';
import { summarizeRefusal } from './publish-report.js';
import { writersFingerprint } from './writers-fingerprint.js';

/** A refusal found by a run, without the time of its first occurrence. */
type FoundRefusal = Omit<RecordedRefusal, 'since'>;

/** Refusals that a run found, and chains that it judged. Other chains, such as those on hold, keep theirs. */
export type JudgedRefusals = {
  readonly found: readonly FoundRefusal[];
  /** `null` stands for the methodology. */
  readonly judged: readonly (Chain | null)[];
};

/** Options for `findRefusals`. */
type FindOptions = {
  readonly plan: Plan;
  readonly inputs: readonly InputSeries[];
  /** The current release, which the input was compared with. */
  readonly record: ReleaseRecord;
  /** The product's texts, which the dates are restated with. */
  readonly texts: ReferenceTexts;
  /** Arguments of the run. */
  readonly args: readonly string[];
};

/** Returns what a plan refuses. The digests do not depend on the time of the run. */
export function findRefusals(options: FindOptions): JudgedRefusals {
  const { plan, record, texts } = options;
  if (plan.methodologyChanged) {
    const sha256 = methodologyDigest(texts.methodology);
    const refused = {
      chain: null,
      sha256: sha256Hex(canonicalJson({ methodology: { version: record.methodology.version, sha256 } })),
      summary: 'the methodology data differs from the published data of the same version',
      published_sha256: publishedDigest(record, null),
      accept: null,
    };
    return { found: [refused], judged: [null] };
  }
  const found = CHAIN_IDS.flatMap((chain) => {
    const each = plan.chains[chain];
    return each?.refusal === undefined ? [] : [toFound(chain, each, each.refusal, options)];
  });
  const judged = CHAIN_IDS.filter((chain) => (plan.chains[chain]?.outcome ?? 'held') !== 'held');
  return { found, judged: [...judged, null] };
}

function toFound(
  chain: Chain,
  { updated_through: through }: ChainPlan,
  refusal: Refusal,
  { plan, inputs, record, texts, args }: FindOptions,
): FoundRefusal {
  const series = inputs.find((each) => each.chain === chain);
  const isDrop = refusal.kind === 'drop';
  const refused = isDrop
    ? { chain, drops: refusal.drops }
    : {
        chain,
        restatement: refusal.restatement,
        input_sha256: series
          ? createInputDigest(series)(through ?? refusal.restatement.last_date).sha256
          : null,
        writers_sha256: writersFingerprint(texts), // other code may restate the same dates differently
        methodology_sha256: methodologyDigest(texts.methodology),
      };
  const { plan_digest } = plan;
  return {
    chain,
    sha256: sha256Hex(canonicalJson(refused)),
    summary: summarizeRefusal(refusal),
    published_sha256: publishedDigest(record, chain),
    accept: isDrop || plan_digest === undefined ? null : { plan_digest, args: [...args] },
  };
}

/**
 * Returns the refusals that wait after a run at the instant `at`, in the order of the chains. One that was recorded
 * before keeps its time.
 */
export function mergeRefusals(
  before: readonly RecordedRefusal[],
  { found, judged }: JudgedRefusals,
  at: string,
): RecordedRefusal[] {
  const kept = before.filter(({ chain }) => !judged.includes(chain));
  const now = found.map((each) => ({ ...each, since: sinceOf(before, each) ?? at }));
  const order: readonly (Chain | null)[] = [...CHAIN_IDS, null];
  return [...kept, ...now].sort((a, b) => order.indexOf(a.chain) - order.indexOf(b.chain));
}

/**
 * Returns the recorded refusals that still wait after a run whose exit reports another problem. Omits refusals that the
 * run found for the first time, so that a later run reports them as new, and recorded refusals that no longer apply.
 */
export function withoutNew(
  before: readonly RecordedRefusal[],
  { found, judged }: JudgedRefusals,
): RecordedRefusal[] {
  return before.filter(
    (each) => !judged.includes(each.chain) || found.some((now) => sinceOf([each], now) !== undefined),
  );
}

/** Returns the time since which the same refusal has been recorded; `undefined` if it is new. */
export function sinceOf(
  before: readonly RecordedRefusal[],
  { chain, sha256 }: Pick<FoundRefusal, 'chain' | 'sha256'>,
): string | undefined {
  return before.find((each) => each.chain === chain && each.sha256 === sha256)?.since;
}

/** Returns the digest of all waiting refusals; `null` if there are none. */
export function refusalDigest(refused: readonly RecordedRefusal[]): string | null {
  return refused.length === 0 ? null : sha256Hex(canonicalJson(refused.map(({ sha256 }) => sha256)));
}

/** Returns the recorded refusals that still wait: the state that they were compared with is still published. */
export function stillWaiting(refused: readonly RecordedRefusal[], record: ReleaseRecord): RecordedRefusal[] {
  return refused.filter((each) => each.published_sha256 === publishedDigest(record, each.chain));
}

/** Returns the digest of the published state of a chain, or of the methodology. */
function publishedDigest({ methodology, manifests }: ReleaseRecord, chain: Chain | null): string {
  if (chain === null) return methodology.sha256;
  const digests = GENRES.map((genre) => manifests[manifestPath(genre, chain)]?.sha256 ?? null);
  return sha256Hex(canonicalJson(digests));
}
