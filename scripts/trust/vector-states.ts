import { toPastRelease, toStatement } from '../../generator/core/trust/release-statement.js';
import { toTimestamp } from '../../generator/core/trust/timestamp.js';
import type { Signer } from '../../generator/signing/signer.js';
import { canonicalJson } from '../../schemas/canonical-json.js';
import { parseInstant } from '../../schemas/dates.js';
import { sha256Hex } from '../../schemas/digest.js';
import { API_PATH, manifestPath, PUBLIC_PATHS, TRUST_PATHS } from '../../schemas/paths.js';
import { historyText } from '../../schemas/trust/release-history.js';
import { formatTrustAnchor } from '../../schemas/trust/trust-anchor.js';
import type { TrustDocuments } from '../../schemas/trust/trust-documents.js';
import type {
  KeySet,
  PastRelease,
  ReleaseKey,
  ReleaseRecord,
  ReleaseStatement,
} from '../../schemas/types.generated.js';
import { type TestKeyName, testSigner } from './test-keys.js';
import {
  changesOf,
  contextOf,
  datesOf,
  digestOf,
  publicFiles,
  stampOf,
  stampsUpTo,
  subscriberFiles,
  toJson,
  type VectorFiles,
  type VectorStamp,
} from './vector-files.js';
import { assertValid } from '../../schemas/validate.js';

/** A signed site at one time, with the clocks at which a reader verifies it. */
export type VectorState = {
  readonly name: string;
  readonly about: string;
  readonly anchor: string;
  /** The reader's clock, and others at the limits of what a reader accepts. */
  readonly now: string;
  readonly alsoNow: readonly string[];
  readonly release: VectorRelease;
  readonly documents: Omit<TrustDocuments, 'release-statement'> & { readonly statement: ReleaseStatement };
  readonly files: VectorFiles;
};

/** Signs a document for a file of the vectors. May return a valid signature of the same document that was committed. */
export type SignFile = <N extends keyof TrustDocuments>(
  file: string,
  signer: Signer,
  name: N,
  document: TrustDocuments[N],
) => Promise<string>;

export const SITE = 'https://data.example.com';
/** When the key was rotated, and when the first one was revoked. */
const ROTATED_AT = '2026-03-04T12:00:00Z';
const REVOKED_AT = '2026-03-05T00:00:00Z';
const FIRST_ISSUED = '2026-03-01T00:00:00Z';
const YEAR_LATER = '2027-03-01T00:00:00Z';

type Plan = {
  readonly about: string;
  readonly sequence: number;
  readonly root: TestKeyName;
  readonly keySet: Pick<KeySet, 'version' | 'issued_at' | 'keys'>;
  readonly signer: TestKeyName;
  readonly signedAt: string;
  readonly now: string;
  readonly alsoNow?: readonly string[];
};

/** Returns all states of the vectors. */
export async function vectorStates(signFile: SignFile): Promise<VectorState[]> {
  const releases = vectorReleases(4);
  const plans = Object.entries(await planStates());
  return Promise.all(plans.map(([name, plan]) => signState(name, plan, releases, signFile)));
}

async function planStates(): Promise<Readonly<Record<string, Plan>>> {
  const others = [
    await keyOf('retired', '2026-02-01T00:00:00Z', FIRST_ISSUED),
    await keyOf('next', '2026-12-01T00:00:00Z', '2027-12-01T00:00:00Z'),
  ];
  const a = await keyOf('release-a', FIRST_ISSUED, '2026-09-01T00:00:00Z');
  const b = await keyOf('release-b', ROTATED_AT, YEAR_LATER);
  const retiring = { ...a, valid_until: '2026-03-11T12:00:00Z' };
  const revoked = { at: REVOKED_AT, reason: 'The key was on a machine that was stolen.' };
  const p256 = await keyOf('p256-release', FIRST_ISSUED, YEAR_LATER);
  const first = { version: 1, issued_at: FIRST_ISSUED, keys: [a, ...others] };
  const byA = { root: 'root', keySet: first, signer: 'release-a' } as const;
  const byB = { root: 'root', sequence: 3, signer: 'release-b' } as const;
  const release = (sequence: number): Plan => ({
    ...byA,
    about: `Release ${sequence} of the history, signed by the first release key.`,
    sequence,
    signedAt: `2026-03-0${sequence + 1}T06:00:00Z`,
    now: `2026-03-0${sequence + 1}T12:00:00Z`,
  });
  return {
    'release-1': release(1),
    'release-2': release(2),
    'release-3': { ...release(3), alsoNow: ['2026-03-04T05:55:00Z', '2026-03-06T05:59:59Z'] },
    rotated: {
      ...byB,
      about: 'Release 3 after the release key was rotated: signed again by the second release key.',
      keySet: { version: 2, issued_at: ROTATED_AT, keys: [retiring, b, ...others] },
      signedAt: ROTATED_AT,
      now: '2026-03-04T18:00:00Z',
      alsoNow: ['2026-03-04T11:55:00Z'],
    },
    revoked: {
      ...byB,
      about: 'Release 3 after the first release key was revoked: signed by the second.',
      keySet: { version: 3, issued_at: REVOKED_AT, keys: [{ ...retiring, revoked }, b, ...others] },
      signedAt: REVOKED_AT,
      now: '2026-03-05T06:00:00Z',
    },
    'rolled-back': {
      ...release(4),
      about: 'Release 4, a rollback to release 2: a date is withdrawn, and its day file is missing.',
    },
    es256: {
      ...release(3),
      about: 'Release 3 of a site whose root key and release key are P-256.',
      root: 'p256-root',
      keySet: { ...first, keys: [p256] },
      signer: 'p256-release',
    },
  };
}

async function keyOf(name: TestKeyName, from: string, until: string): Promise<ReleaseKey> {
  const { kid, jwk } = await testSigner(name);
  return { kid, jwk, valid_from: from, valid_until: until, revoked: null };
}

async function signState(
  name: string,
  { about, now, alsoNow = [], ...plan }: Plan,
  releases: readonly VectorRelease[],
  signFile: SignFile,
): Promise<VectorState> {
  const release = releases[plan.sequence - 1];
  if (release === undefined) throw new RangeError(`no release ${plan.sequence}`);
  const root = await testSigner(plan.root);
  const signer = await testSigner(plan.signer);
  const { sha256 } = release;
  const documents = {
    'key-set': {
      schema: 'key-set/1',
      site: SITE,
      ...plan.keySet,
      expires: YEAR_LATER,
      signed_from_sequence: 1,
      root: root.jwk,
    },
    timestamp: toTimestamp(
      { site: SITE, sequence: plan.sequence, sha256 },
      parseInstant(plan.signedAt) ?? NaN,
    ),
    statement: statementOf(release, release.history),
  } as const;
  const sign: SignFile = (path, ...rest) => signFile(`states/${name}${path}`, ...rest);
  const signed = {
    [TRUST_PATHS.keys]: await sign(TRUST_PATHS.keys, root, 'key-set', documents['key-set']),
    [TRUST_PATHS.timestamp]: await sign(TRUST_PATHS.timestamp, signer, 'timestamp', documents.timestamp),
    [TRUST_PATHS.statement]: await sign(
      TRUST_PATHS.statement,
      signer,
      'release-statement',
      documents.statement,
    ),
    [TRUST_PATHS.releases]: listOf(release.history),
  };
  return {
    name,
    about,
    anchor: formatTrustAnchor({ site: SITE, root: root.kid }),
    now,
    alsoNow,
    release,
    documents,
    files: new Map([
      ...release.files,
      ...Object.entries(signed).map(([path, text]) => [path, Buffer.from(text)] as const),
    ]),
  };
}

/** Returns the statement about a release of a history. */
function statementOf(
  { record, sha256 }: Pick<VectorRelease, 'record' | 'sha256'>,
  history: readonly PastRelease[],
): ReleaseStatement {
  return toStatement(record, sha256, {
    site: SITE,
    historySha256: sha256Hex(historyText(history, record.sequence) ?? ''),
    generator: {
      version: '0.1.0',
      commit: '0123456789abcdef0123456789abcdef01234567',
      lockfile_sha256: sha256Hex('package-lock.json'),
    },
  });
}

/** Returns the text of `releases.json`. */
export function listOf(releases: readonly PastRelease[]): string {
  return toJson('releases', { schema: 'releases/1', releases });
}

/** Returns the text of a value as canonical JSON in Base64url, as in a JWS. */
export function encode(value: unknown): string {
  return Buffer.from(canonicalJson(value)).toString('base64url');
}

/** A release of the vectors with all its files but the signed ones. */
type VectorRelease = {
  readonly record: ReleaseRecord;
  /** Digest of the record, whose text readers never see. */
  readonly sha256: string;
  /** The releases up to this one. */
  readonly history: readonly PastRelease[];
  readonly files: VectorFiles;
};

const TYPES: Readonly<Record<string, string>> = {
  csv: 'text/csv; charset=utf-8',
  html: 'text/html; charset=utf-8',
  json: 'application/json',
  png: 'image/png',
  sql: 'application/sql; charset=utf-8',
  svg: 'image/svg+xml',
  txt: 'text/plain; charset=utf-8',
};

/** Returns the releases of the vectors, the first one first. */
function vectorReleases(count: number): VectorRelease[] {
  const releases: VectorRelease[] = [];
  for (let sequence = 1; sequence <= count; sequence += 1)
    releases.push(releaseAfter(releases.at(-1), stampOf(sequence)));
  return releases;
}

function releaseAfter(before: VectorRelease | undefined, stamp: VectorStamp): VectorRelease {
  const listed = publicFiles(stamp);
  const list = toJson('release', {
    schema: 'release/1',
    ...contextOf(stamp),
    files: [...listed]
      .map(([path, bytes]) => ({ path, ...digestOf(bytes), type: typeOf(path) }))
      .sort((a, b) => (a.path < b.path ? -1 : 1)),
  });
  const shown = new Map([...listed, [PUBLIC_PATHS.release, Buffer.from(list)]]);
  const files = new Map([...shown, ...subscriberFiles(stamp)]);
  const record = recordOf(stamp, before, files, [...shown.keys()]);
  const sha256 = sha256Hex(canonicalJson(record));
  return { record, sha256, history: [...(before?.history ?? []), toPastRelease(record, sha256)], files };
}

function recordOf(
  stamp: VectorStamp,
  before: VectorRelease | undefined,
  files: VectorFiles,
  shown: readonly string[],
): ReleaseRecord {
  const { revision, sequence, publishedAt, updatedThrough } = stamp;
  const digest = (path: string) => digestOf(files.get(path) ?? '');
  const manifest = manifestPath('meta', 'bitcoin');
  return assertValid('release-record', {
    schema: 'release-record/1',
    revision,
    sequence,
    previous: before === undefined ? null : { revision: before.record.revision, sha256: before.sha256 },
    published_at: publishedAt,
    methodology: { version: 'v1', sha256: sha256Hex('methodology') },
    hold: null,
    chains: {
      bitcoin: {
        updated_through: updatedThrough,
        rows: datesOf(stamp).length,
        source: 'Simulated series A',
        input_sha256: sha256Hex(`input of ${revision}`),
        metrics: ['tx_count', 'active_addresses', 'fee_median'],
        writers_sha256: sha256Hex('writers'),
        methodology_sha256: sha256Hex('methodology'),
      },
    },
    public: Object.fromEntries(
      shown.map((path) => [path, { ...digest(path), type: typeOf(path), revision }]),
    ),
    bundles: {},
    manifests: { [manifest]: { ...digest(manifest), revision } },
    revisions: Object.fromEntries(
      stampsUpTo(stamp).map((each) => [
        each.revision,
        { sequence: each.sequence, published_at: each.publishedAt },
      ]),
    ),
    changes: changesOf(stamp),
  });
}

function typeOf(path: string): string {
  const [, extension] = /\.([a-z]+)$/.exec(path) ?? [];
  if (extension !== undefined) return TYPES[extension] ?? 'application/octet-stream';
  if (path.endsWith('/regime-calendar')) return TYPES['csv'] ?? '';
  return (path.startsWith(API_PATH) ? TYPES['json'] : TYPES['html']) ?? '';
}
