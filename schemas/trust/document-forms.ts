/**
 * The forms of the signed documents, as their JSON Schemas define them. Written by hand, because the content policy of the
 * pages forbids code that a validator of schemas generates; a test compares them with the schemas.
 */
import { parseInstant } from '../dates.js';
import type { PastRelease, PublicFile, PublicKey } from '../types.generated.js';
import type { TrustDocumentName, TrustDocuments } from './trust-documents.js';

/** The longest listed file, 16 MiB. */
const MAX_FILE_BYTES = 2 ** 24;
/** The most public files of a release. */
const MAX_FILES = 100_000;

/** Returns the path of the first invalid value, such as "keys.0.kid" ("" for the value itself); `undefined` if there is none. */
type Form = (value: unknown) => string | undefined;

const when =
  (holds: (value: unknown) => boolean): Form =>
  (value) =>
    holds(value) ? undefined : '';
const text = (pattern: RegExp): Form => when((value) => typeof value === 'string' && pattern.test(value));
const exactly = (expected: string | null): Form => when((value) => value === expected);
const either = (...forms: readonly Form[]): Form =>
  when((value) => forms.some((form) => form(value) === undefined));

/** Returns the path of the first fault among members. */
function inside(members: Iterable<readonly [string | number, Form, unknown]>): string | undefined {
  for (const [name, form, value] of members) {
    const fault = form(value);
    if (fault !== undefined) return fault === '' ? String(name) : `${name}.${fault}`;
  }
  return undefined;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The form of an object with exactly these members. */
function record(forms: Readonly<Record<string, Form>>): Form {
  return (value) => {
    if (!isObject(value)) return '';
    const other = [...Object.keys(value), ...Object.keys(forms)].find(
      (name) => !(Object.hasOwn(value, name) && Object.hasOwn(forms, name)),
    );
    return other ?? inside(Object.entries(forms).map(([name, form]) => [name, form, value[name]] as const));
  };
}

/** The form of an object with at least these members. */
function having(forms: Readonly<Record<string, Form>>): Form {
  return (value) => {
    if (!isObject(value)) return '';
    const missing = Object.keys(forms).find((name) => !Object.hasOwn(value, name));
    return missing ?? inside(Object.entries(forms).map(([name, form]) => [name, form, value[name]] as const));
  };
}

/** The form of an array of at least one element. */
function each(form: Form, most = Infinity): Form {
  return (value) => {
    if (!Array.isArray(value) || value.length === 0 || value.length > most) return '';
    return inside(value.map((element, i) => [i, form, element] as const));
  };
}

/** The form of an object with any members. */
function byName(name: Form, form: Form): Form {
  return (value) => {
    if (!isObject(value)) return '';
    const members = Object.entries(value);
    const wrong = members.find(([key]) => name(key) !== undefined);
    return wrong?.[0] ?? inside(members.map(([key, member]) => [key, form, member] as const));
  };
}

const positive = when((value) => Number.isSafeInteger(value) && (value as number) > 0);
const instant = when(
  (value) =>
    typeof value === 'string' &&
    /^(?!0000)\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/.test(value) &&
    parseInstant(value) !== undefined,
);
const sha256 = text(/^[0-9a-f]{64}$/);
const site = text(/^[!"$-~]{1,200}$/);
const thumbprint = text(/^[A-Za-z0-9_-]{43}$/);
const revision = text(/^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])\.(?!000000)\d{6}$/);
const path = text(/^\/[!-~]{0,999}$/);
const size = when(
  (value) => Number.isSafeInteger(value) && (value as number) >= 0 && (value as number) <= MAX_FILE_BYTES,
);
const nothing = exactly(null);
const coordinate = text(/^[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]$/); // 32 bytes: the last bits are 0
const publicKey = either(
  record({ kty: exactly('OKP'), crv: exactly('Ed25519'), x: coordinate }),
  record({ kty: exactly('EC'), crv: exactly('P-256'), x: coordinate, y: coordinate }),
);

const FORMS: { readonly [N in TrustDocumentName]: Form } = {
  'key-set': record({
    schema: exactly('key-set/1'),
    site,
    version: positive,
    issued_at: instant,
    expires: instant,
    signed_from_sequence: positive,
    root: publicKey,
    keys: each(
      record({
        kid: thumbprint,
        jwk: publicKey,
        valid_from: instant,
        valid_until: instant,
        revoked: either(nothing, record({ at: instant, reason: text(/^.{1,200}$/su) })),
      }),
      100,
    ),
  }),
  'release-statement': record({
    schema: exactly('release-statement/1'),
    site,
    revision,
    sequence: positive,
    sha256,
    previous: either(nothing, record({ revision, sha256 })),
    release_sha256: sha256,
    manifests: byName(path, sha256),
    history_sha256: sha256,
    published_at: instant,
    generator: record({
      version: text(/^.{1,100}$/su),
      commit: either(nothing, text(/^[0-9a-f]{40}(-modified)?$/)),
      lockfile_sha256: either(nothing, sha256),
    }),
  }),
  timestamp: record({
    schema: exactly('timestamp/1'),
    site,
    sequence: positive,
    sha256,
    as_of: instant,
    expires: instant,
  }),
};

const RELEASES = record({
  schema: exactly('releases/1'),
  releases: each(record({ sequence: positive, revision, sha256, published_at: instant })),
});

const RELEASE = having({
  published_revision: revision,
  files: each(having({ path, sha256, bytes: size }), MAX_FILES),
});

/** Returns whether a value is a public key as key sets contain it. */
export function isPublicKey(value: unknown): value is PublicKey {
  return publicKey(value) === undefined;
}

/** Returns a document if it has its form. @throws TypeError that names the first invalid value */
export function checkForm<N extends TrustDocumentName>(name: N, value: unknown): TrustDocuments[N] {
  const { schema } = isObject(value) ? value : {};
  if (schema !== `${name}/1`)
    throw new TypeError(`it has the schema ${JSON.stringify(schema)}, which this version does not know`);
  const place = FORMS[name](value);
  if (place !== undefined) throw new TypeError(`it does not match the schema ${name}/1 at ${place}`);
  return value as TrustDocuments[N]; // its form was checked
}

/** Returns the entries of a list of releases; `undefined` for anything else. */
export function releasesIn(value: unknown): readonly PastRelease[] | undefined {
  return RELEASES(value) === undefined ? (value as { releases: PastRelease[] }).releases : undefined; // the same
}

/** An entry of the list of public files, as far as a reader needs it. */
export type ListedFile = Pick<PublicFile, 'path' | 'sha256' | 'bytes'>;

/** Returns the entries of a list of public files; `undefined` for anything else. */
export function filesIn(value: unknown): readonly ListedFile[] | undefined {
  return RELEASE(value) === undefined ? (value as { files: ListedFile[] }).files : undefined; // the same
}
