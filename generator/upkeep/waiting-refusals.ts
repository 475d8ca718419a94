import type {
  Chain,
  RecordedRefusal,
  RefusalAcceptance,
  ReleaseRecord,
} from '../../schemas/types.generated.js';
import type { ObjectStore } from '../../infra/store/object-store.js';
import { GeneratorError } from '../core/generator-error.js';
import { refusalDigest, stillWaiting } from '../core/release/refusal-record.js';
import { readRefusals } from '../state/stored-refusals.js';

/** A refusal that waits for a person. */
type WaitingRefusal = Pick<RecordedRefusal, 'chain' | 'since' | 'sha256' | 'summary'> & {
  /** The command that accepts it, to paste; null if no option does, or if the command could not be recorded. */
  readonly accept: string | null;
  /** Digest of the plan that accepts it; null if no option does. */
  readonly plan_digest: string | null;
  /** The other chains whose refusal that command accepts too. */
  readonly also_accepts: readonly Chain[];
};

/** The refusals of a store that wait for a person. */
export type WaitingRefusals = {
  readonly refusals: readonly WaitingRefusal[];
  /** Digest of all of them, also of other chains, as publish reports it; null if there are none. */
  readonly refusal_digest: string | null;
  /** Set if the record of refusals is damaged. */
  readonly damage: string | null;
};

/** Formats the command that accepts a refusal. */
export type FormatAccept = (accept: Required<RefusalAcceptance>) => string;

export const NO_REFUSALS = { refusals: [], refusal_digest: null } satisfies Partial<WaitingRefusals>;

/** Reads the refusals of `chains`, and of the methodology, that wait for a person. */
export async function readWaitingRefusals(
  store: ObjectStore,
  record: ReleaseRecord,
  chains: readonly Chain[],
  formatAccept: FormatAccept,
): Promise<WaitingRefusals> {
  try {
    const waiting = stillWaiting((await readRefusals(store)).refused, record);
    const refusals = waiting
      .filter(({ chain }) => chain === null || chains.includes(chain))
      .map(({ chain, since, sha256, summary, accept }) => ({
        chain,
        since,
        sha256,
        summary,
        accept: accept?.args === undefined ? null : formatAccept({ ...accept, args: accept.args }),
        plan_digest: accept?.plan_digest ?? null,
        also_accepts: accept === null ? [] : othersOf(waiting, chain, accept.plan_digest),
      }));
    return { refusals, refusal_digest: refusalDigest(waiting), damage: null };
  } catch (error) {
    if (!(error instanceof GeneratorError) || error.fault === undefined) throw error;
    return { ...NO_REFUSALS, damage: `${error.fault.key} ${error.fault.message}` };
  }
}

/** Returns the other chains whose refusal the plan with a digest accepts. */
function othersOf(waiting: readonly RecordedRefusal[], chain: Chain | null, planDigest: string): Chain[] {
  return waiting.flatMap((each) =>
    each.chain !== null && each.chain !== chain && each.accept?.plan_digest === planDigest
      ? [each.chain]
      : [],
  );
}

/** Returns what a person does next about a refusal. */
export function settleStep(refusal: WaitingRefusal): string {
  const { chain, since, summary, accept, plan_digest: planDigest, also_accepts: others } = refusal;
  const what = `${chain ?? 'the methodology'} has been refused since ${since} (${summary})`;
  if (chain === null) return `${what}: give the methodology a new version`;
  if (planDigest === null) return `${what}: fix the input, no option accepts this`;
  if (accept === null)
    return `${what}: fix the input or, if it is right, run generator plan with your input, which prints the command that accepts it`;
  const also = others.length === 0 ? '' : ` (this also accepts ${others.join(', ')})`;
  return `${what}: fix the input or, if it is right, write the public reason into this command${also} and run it: ${accept}`;
}
