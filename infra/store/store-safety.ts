import { canonicalJson } from '../../schemas/canonical-json.js';
import { toInstant } from '../../schemas/dates.js';
import { CHECK_PREFIX, STORE_CHECK_KEY } from '../../schemas/paths.js';
import type { StoreCheck } from '../../schemas/types.generated.js';
import { assertValid } from '../../schemas/validate.js';
import { checkStore, type StoreReport } from './check-store.js';
import { type CheckedRow, type Etag, type ObjectStore, StoreError } from './object-store.js';

/** Options for `ensureSafe`. */
export type SafetyOptions = {
  /** Returns milliseconds since the epoch. */
  readonly now: () => number;
  /** True if the operator promises that one process at a time writes. Absent where nobody can promise it. */
  readonly singleWriter?: boolean | undefined;
};

/** Maximum size of a verdict, in bytes. */
const MAX_VERDICT_BYTES = 10_000;

/** The verdict that a store keeps, and the ETag of its file. */
type KeptVerdict = { readonly value: StoreCheck; readonly etag: Etag };

/**
 * Passes if a store keeps the promises of conditional writes, or the operator promised that one process writes, and returns
 * whether an earlier check called it safe. A directory needs no check, nor does Amazon S3, where the roles of programs need not
 * allow it. Of any other server, the verdict is kept in the store: the check runs once, and again while the verdict does not
 * suffice, or with `isDoubted`.
 * @throws StoreError 'unsafe'; what the store throws
 */
export async function ensureSafe(
  store: ObjectStore,
  { isDoubted = false, ...options }: SafetyOptions & { readonly isDoubted?: boolean },
): Promise<boolean> {
  if (store.server === undefined || (await store.server.isAmazon())) return false;
  const kept = await readVerdict(store);
  if (!isDoubted && kept !== undefined && suffices(kept.value)) return kept.value.verdict === 'safe';
  const report = await checkStore(store, options);
  const { singleWriter = false } = options;
  const isAllowed = report.verdict === 'safe' || (report.verdict === 'one-writer' && singleWriter);
  if (!isAllowed) throw unsafe(store, report, options.singleWriter !== undefined);
  await keepVerdict(store, toVerdict(report, options), kept?.etag ?? null);
  return false;
}

function suffices({ verdict, single_writer: isPromised }: StoreCheck): boolean {
  return verdict === 'safe' || (verdict === 'one-writer' && isPromised);
}

/** Reads the verdict that a store keeps; `undefined` if there is none, or none that can be read. */
export async function readVerdict(store: ObjectStore): Promise<KeptVerdict | undefined> {
  const found = await store.get(STORE_CHECK_KEY, MAX_VERDICT_BYTES);
  if (found === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(Buffer.from(found.bytes).toString('utf8'));
    return { value: assertValid('store-check', value), etag: found.etag };
  } catch {
    return { value: UNREADABLE, etag: found.etag }; // checked again
  }
}

const UNREADABLE: StoreCheck = {
  schema: 'store-check/1',
  checked_at: '1970-01-01T00:00:00Z',
  server: null,
  verdict: 'unusable',
  single_writer: false,
};

function toVerdict(
  { verdict, server }: StoreReport,
  { now, singleWriter = false }: SafetyOptions,
): StoreCheck {
  return {
    schema: 'store-check/1',
    checked_at: toInstant(now()),
    server: server === null ? null : server.replace(/[^ -~]/g, '?').slice(0, 200),
    verdict,
    single_writer: verdict !== 'safe' && singleWriter,
  };
}

/** Keeps a verdict, unless another process has kept one meanwhile. */
async function keepVerdict(store: ObjectStore, verdict: StoreCheck, expected: Etag | null): Promise<void> {
  const body = Buffer.from(canonicalJson(assertValid('store-check', verdict)));
  await store.compareAndSwap(STORE_CHECK_KEY, body, expected, {
    contentType: 'application/json',
    cacheControl: 'no-store',
  });
}

/** Returns whether a key belongs to a check, so that it says nothing about what an address contains. */
export function isOfCheck(key: string): boolean {
  return key === STORE_CHECK_KEY || key.startsWith(CHECK_PREFIX);
}

function unsafe(
  { address }: ObjectStore,
  { verdict, rows, server }: StoreReport,
  mayPromise: boolean,
): StoreError {
  const faults = rows.filter(({ result }) => result === verdict).map(toWords);
  const name = server === null ? '' : ` of ${server}`;
  const problem =
    verdict === 'one-writer'
      ? `loses writes without an error when two processes write at once`
      : `cannot be used as a store`;
  const promise =
    verdict === 'one-writer' && mayPromise
      ? ', or promise with --single-writer that one process at a time writes'
      : '';
  return new StoreError(
    'unsafe',
    `${address}: this server${name} ${problem}: ${faults.join('; ')}. Nothing was published. Use another server${promise}: "generator store check --store ${address}" shows every check, and the README of the generator which servers pass.`,
  );
}

/** Returns a row of a check as a phrase. */
export function toWords({ what, saw }: CheckedRow): string {
  return `${what} ${saw}`;
}
