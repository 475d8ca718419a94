import { PUBLIC_PATHS, TRUST_PATHS } from '../paths.js';
import type { KeySet, ReleaseStatement, Timestamp } from '../types.generated.js';
import { filesIn, releasesIn, type ListedFile } from './document-forms.js';
import { endsWith, historyText } from './release-history.js';
import { parseStrict } from './strict-json.js';
import type { TrustAnchor } from './trust-anchor.js';
import { MAX_SIGNED_BYTES } from './trust-documents.js';
import { TrustError, UNPROVEN } from './trust-error.js';
import { verifyKeySet, verifyStatement, verifyTimestamp } from './verify-documents.js';
import { parseCanonical, toReceived, type ReceivedJws } from './verify-jws.js';

/** A file as it was received. `isCached` is true if a cache on the way says that it answered. */
export type ReceivedFile = { readonly bytes: Uint8Array; readonly isCached: boolean };

/** Options of `ReadFile`. */
export type ReadOptions = {
  /** Asks caches to revalidate. */
  readonly fresh: boolean;
  /** A longer file is cut off after one byte more, which shows that it is longer. */
  readonly maxBytes: number;
};

/** Reads a file of the site by its URL path; `undefined` if there is none. Rejects if the site does not answer. */
export type ReadFile = (path: string, options: ReadOptions) => Promise<ReceivedFile | undefined>;

/** Limit of the two lists, 16 MiB. The release lists the sizes of the other files. */
export const MAX_LIST_BYTES = 2 ** 24;
/** Number of faults of public files after which the rest is not read. */
const MANY_FAULTS = 20;

/** Options of `verifySite`. */
export type VerifySiteOptions = {
  /** The reader's clock, in milliseconds since the epoch. It is asked for each document: a verification can take long. */
  readonly now: () => number;
  readonly read: ReadFile;
  readonly anchor: TrustAnchor;
  /** Returns the SHA-256 in lowercase hex. */
  readonly sha256: (bytes: Uint8Array) => string | Promise<string>;
  /** Number of files that are read at a time. */
  readonly concurrency: number;
  /** Called after each step, and after each verified file. */
  readonly onProven?: (proof: Partial<SiteProof>) => void;
};

/** What was proven about a site. */
export type SiteProof = {
  readonly keySet: KeySet;
  readonly timestamp: Timestamp;
  readonly statement: ReleaseStatement;
  /** Number of releases in the signed history. */
  readonly releases: number;
  /** Number of public files, and of those verified so far. */
  readonly files: number;
  readonly verified: number;
};

/**
 * Verifies everything public of a site: root key, key set, timestamp, statement, list of releases, and every public file. If a
 * check fails, all files are read again without caches, and only the second result counts. If a release was published
 * meanwhile, its mixture with the one before proves nothing false.
 * @throws TrustError
 */
export async function verifySite(options: VerifySiteOptions): Promise<SiteProof> {
  try {
    return await verifyOnce(options, false);
  } catch (error) {
    if (!(error instanceof TrustError)) throw error;
    return verifyAgain(options);
  }
}

async function verifyAgain(options: VerifySiteOptions): Promise<SiteProof> {
  let proven: Partial<SiteProof> = {};
  const onProven = (proof: Partial<SiteProof>): void => {
    proven = proof;
    options.onProven?.(proof);
  };
  try {
    return await verifyOnce({ ...options, onProven }, true);
  } catch (error) {
    if (!(error instanceof TrustError) || UNPROVEN.has(error.code)) throw error;
    if (proven.statement === undefined || !(await isReplaced({ ...options, fresh: true }, proven.statement)))
      throw error;
    throw new TrustError('mixed', error.subject, 'a release was published meanwhile', { cause: error });
  }
}

/** Returns whether a site has a verified timestamp of a later release than that of a statement. */
async function isReplaced(site: Site, { sequence }: ReleaseStatement): Promise<boolean> {
  try {
    return (await readTimestamp(site, await readKeySet(site))).sequence > sequence;
  } catch (error) {
    if (error instanceof TrustError) return false;
    throw error;
  }
}

async function readKeySet(site: Site): Promise<KeySet> {
  return verifyKeySet(await readJws(site, TRUST_PATHS.keys), site.anchor, { nowMs: site.now() });
}

async function readTimestamp(site: Site, keySet: KeySet): Promise<Timestamp> {
  return verifyTimestamp(await readJws(site, TRUST_PATHS.timestamp), keySet, { nowMs: site.now() });
}

async function verifyOnce(options: VerifySiteOptions, fresh: boolean): Promise<SiteProof> {
  const site = { ...options, fresh };
  const report = (proof: Partial<SiteProof>): void => options.onProven?.(proof);
  const keySet = await readKeySet(site);
  report({ keySet });
  const timestamp = await readTimestamp(site, keySet);
  report({ keySet, timestamp });
  const signed = await readJws(site, TRUST_PATHS.statement);
  const statement = await verifyStatement(signed, keySet, { nowMs: site.now() });
  assertSameRelease(TRUST_PATHS.statement, statement, timestamp);
  report({ keySet, timestamp, statement });
  const listed = await readRelease(site, statement);
  const releases = await verifyHistory(site, statement);
  const proof = { keySet, timestamp, statement, releases, files: listed.length + 1 };
  let verified = 1; // the release
  report({ ...proof, verified });
  await verifyFiles(site, listed, statement, () => report({ ...proof, verified: (verified += 1) }));
  return { ...proof, verified };
}

/** Passes if a statement is about the release of the timestamp. @throws TrustError 'mixed', 'release-forked' */
function assertSameRelease(subject: string, statement: ReleaseStatement, timestamp: Timestamp): void {
  if (statement.sequence !== timestamp.sequence)
    throw new TrustError(
      'mixed',
      subject,
      `release ${statement.sequence}, but the timestamp says ${timestamp.sequence}`,
    );
  if (statement.sha256 !== timestamp.sha256)
    throw new TrustError('release-forked', subject, `release ${statement.sequence}`);
}

type Site = VerifySiteOptions & { readonly fresh: boolean };

async function readJws(site: Site, path: string): Promise<ReceivedJws> {
  const file = await readFile(site, path, MAX_SIGNED_BYTES);
  if (file === undefined) throw new TrustError('release-unsigned', path);
  return toReceived(file.bytes, path);
}

async function readFile(
  { read, fresh }: Site,
  path: string,
  maxBytes: number,
): Promise<ReceivedFile | undefined> {
  try {
    return await read(path, { fresh, maxBytes });
  } catch (error) {
    throw new TrustError('unreachable', path, error instanceof Error ? error.message : '', { cause: error });
  }
}

/** Returns the entries of the list of public files, whose digest is signed. */
async function readRelease(site: Site, statement: ReleaseStatement): Promise<readonly ListedFile[]> {
  const own = { path: PUBLIC_PATHS.release, sha256: statement.release_sha256, bytes: MAX_LIST_BYTES };
  const files = filesIn(parseCanonical(await readVerified(site, own, statement)));
  if (files === undefined) throw new TrustError('file-altered', own.path, 'it is not a list of files');
  return files;
}

/**
 * Verifies the list of all releases against the signed digest of the history. It may list releases after the one of the
 * statement, which the next statement is about. Returns the number of releases up to that one.
 */
async function verifyHistory(site: Site, statement: ReleaseStatement): Promise<number> {
  const { sequence, history_sha256: expected } = statement;
  const path = TRUST_PATHS.releases;
  const file = await readFile(site, path, MAX_LIST_BYTES);
  if (file === undefined) throw new TrustError('file-missing', path);
  const releases = releasesIn(parseCanonical(file.bytes));
  const isWhole = releases?.every((each, i) => each.sequence === i + 1) === true;
  const text = isWhole ? historyText(releases, sequence) : undefined;
  const detail = `up to release ${sequence}`;
  if (text === undefined || (await site.sha256(new TextEncoder().encode(text))) !== expected)
    throw new TrustError(file.isCached ? 'mixed' : 'file-altered', path, detail);
  if (releases === undefined || !endsWith(releases, statement))
    throw new TrustError('release-forked', path, detail);
  return sequence;
}

/**
 * Verifies all files that a release lists. A mixture of releases is reported rather than a file that seems to be altered, and
 * of several faults the first in the order of the list.
 */
async function verifyFiles(
  site: Site,
  files: readonly ListedFile[],
  statement: ReleaseStatement,
  onVerified: () => void,
): Promise<void> {
  const faults = new Map<number, TrustError>();
  const waiting = files.entries();
  const work = async (): Promise<void> => {
    for (const [i, file] of waiting) {
      if (faults.size >= MANY_FAULTS) return;
      try {
        await readVerified(site, file, statement);
        onVerified();
      } catch (error) {
        if (!(error instanceof TrustError)) throw error;
        faults.set(i, error);
      }
    }
  };
  await Promise.all(Array.from({ length: site.concurrency }, work));
  const ordered = [...faults].sort(([one], [other]) => one - other).map(([, fault]) => fault);
  const fault =
    ordered.find(({ code }) => code === 'mixed') ?? // explains the others
    ordered.find(({ code }) => !UNPROVEN.has(code)) ??
    ordered[0];
  if (fault !== undefined) throw fault;
}

async function readVerified(
  site: Site,
  { path, sha256, bytes }: ListedFile,
  statement: ReleaseStatement,
): Promise<Uint8Array> {
  const file = await readFile(site, path, bytes);
  if (file === undefined) throw new TrustError('file-missing', path);
  if ((await site.sha256(file.bytes)) === sha256) return file.bytes;
  const isOther = file.isCached || namesOtherRelease(path, file.bytes, statement);
  throw new TrustError(isOther ? 'mixed' : 'file-altered', path);
}

/** Returns whether a file itself says that it is of another release: the release file of any other, the rest of a later one. */
function namesOtherRelease(path: string, bytes: Uint8Array, { revision }: ReleaseStatement): boolean {
  const { published_revision: named } = Object(parseStrict(bytes)?.value) as { published_revision?: unknown }; // any document
  if (typeof named !== 'string') return false;
  return path === PUBLIC_PATHS.release ? named !== revision : named > revision;
}
