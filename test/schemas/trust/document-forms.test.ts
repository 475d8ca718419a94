import { checkForm, filesIn, releasesIn } from '../../../schemas/trust/document-forms.js';
import { canonicalJson } from '../../../schemas/canonical-json.js';
import { TRUST_PATHS } from '../../../schemas/paths.js';
import {
  MAX_SIGNED_BYTES,
  TRUST_TYPES,
  type TrustDocumentName,
} from '../../../schemas/trust/trust-documents.js';
import { openJws, toReceived } from '../../../schemas/trust/verify-jws.js';
import { findSchemaFaults, type SchemaName } from '../../../schemas/validate.js';
import { loadState, VECTORS } from '../../support/trust/vector-site.js';

const PATHS = { 'key-set': 'keys', timestamp: 'timestamp', 'release-statement': 'statement' } as const;
const NAMES = Object.keys(PATHS) as TrustDocumentName[]; // Object.keys loses the key type

const isValid = (name: SchemaName, value: unknown): boolean => findSchemaFaults(name, value).length === 0;

type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

function documentOf(state: string, name: TrustDocumentName): Json {
  const path = TRUST_PATHS[PATHS[name]];
  return openJws(toReceived(loadState(state).get(path) ?? new Uint8Array(), path), name).content as Json; // as it was parsed
}

const OTHERS: readonly Json[] = [
  null,
  true,
  0,
  1,
  -1,
  1.5,
  2 ** 53,
  '',
  'x',
  'é',
  '1',
  [],
  {},
  [null],
  '2026-02-30T00:00:00Z',
  '2026-03-04T23:59:60Z',
  '2026-03-04T24:00:00Z',
  '0000-01-01T00:00:00Z',
  '2026-03-04T00:00:00+00:00',
  '٢٠٢٦-03-04T00:00:00Z',
  '2026-03-04T00:00:00Z\n',
  'a'.repeat(64),
  'A'.repeat(64),
  'a'.repeat(43),
  'a'.repeat(201),
];

/** Yields a document with one value replaced, removed or added, at every place. */
function* changed(value: Json, replace: (value: Json) => Json): Generator<Json> {
  for (const other of OTHERS) yield replace(other);
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    yield replace([...value, ...value]);
    for (const [i, element] of value.entries())
      yield* changed(element, (other) => replace(value.with(i, other)));
    return;
  }
  yield replace({ ...value, other: 1 });
  for (const [name, member] of Object.entries(value)) {
    yield replace(Object.fromEntries(Object.entries(value).filter(([each]) => each !== name)));
    yield* changed(member, (other) => replace({ ...value, [name]: other }));
  }
}

const hasForm = (name: TrustDocumentName, value: Json): boolean => {
  try {
    checkForm(name, value);
    return true;
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return false;
  }
};

describe('the form of a signed document', () => {
  it.each(Object.keys(VECTORS.states).flatMap((state) => NAMES.map((name) => [state, name] as const)))(
    'is that of %s in %s',
    (state, name) => {
      expect(checkForm(name, documentOf(state, name))).toEqual(documentOf(state, name));
    },
  );

  it.each(NAMES)('of %s is what its schema says, with any value replaced, removed or added', (name) => {
    let count = 0;
    const differing: string[] = [];
    for (const value of changed(documentOf('revoked', name), (other) => other)) {
      count += 1;
      const text = JSON.stringify(value);
      // The schema forbids more in the reason of a revocation, and allows the year 0, leap seconds and numbers that are not exact.
      if (
        /"reason":|0000-01-01|9007199254740992|:60Z/.test(text) &&
        hasForm(name, value) !== isValid(name, value)
      )
        continue;
      if (hasForm(name, value) !== isValid(name, value)) differing.push(text);
    }
    expect(differing).toEqual([]);
    expect(count).toBeGreaterThan(100);
  });

  it('names the first value that is wrong', () => {
    const keySet = documentOf('release-1', 'key-set') as { keys: { kid: string }[] };
    keySet.keys[0] = { ...keySet.keys[0], kid: 'x' };
    expect(() => checkForm('key-set', keySet)).toThrow(
      'it does not match the schema key-set/1 at keys.0.kid',
    );
  });

  it('is unknown if the schema is', () => {
    expect(() => checkForm('timestamp', { schema: 'timestamp/2' })).toThrow(
      'it has the schema "timestamp/2"',
    );
  });
});

it('a list of releases has entries of its form only', () => {
  const list = JSON.parse(
    String(Buffer.from(loadState('release-3').get(TRUST_PATHS.releases) ?? [])),
  ) as Json;
  expect(releasesIn(list)).toHaveLength(3);
  for (const value of changed(list, (other) => other)) {
    if (releasesIn(value) !== undefined) expect(isValid('releases', value)).toBe(true);
  }
});

it('a list of public files has at least what a reader needs', () => {
  const revision = '2026-03-04.000001';
  const file = { path: '/a', sha256: 'a'.repeat(64), bytes: 0 };
  const listOf = (changes: object): Json => ({
    published_revision: revision,
    files: [{ ...file, ...changes }],
  });
  expect(filesIn(listOf({ bytes: 2 ** 24, path: `/${'a'.repeat(999)}`, type: 'text/csv' }))).toHaveLength(1);
  const others = [{ bytes: 2 ** 24 + 1 }, { bytes: -1 }, { bytes: 1.5 }, { path: `/${'a'.repeat(1_000)}` }];
  expect(others.flatMap((each) => filesIn(listOf(each)) ?? [])).toEqual([]);
  const files = Array.from({ length: 100_000 }, () => file);
  expect(filesIn({ published_revision: revision, files })).toHaveLength(100_000);
  expect(filesIn({ published_revision: revision, files: [...files, file] })).toBeUndefined();
});

it('the longest key set that has its form is within the limit of signed documents', () => {
  const coordinate = `${'x'.repeat(42)}A`;
  const jwk = { kty: 'EC', crv: 'P-256', x: coordinate, y: coordinate };
  const instant = '2026-03-04T00:00:00Z';
  const key = {
    kid: 'x'.repeat(43),
    jwk,
    valid_from: instant,
    valid_until: instant,
    revoked: { at: instant, reason: '\u0001'.repeat(200) }, // six bytes each
  };
  const longest = {
    schema: 'key-set/1',
    site: 'x'.repeat(200),
    version: 2 ** 53 - 1,
    issued_at: instant,
    expires: instant,
    signed_from_sequence: 2 ** 53 - 1,
    root: jwk,
    keys: Array.from({ length: 100 }, () => key),
  };
  expect(checkForm('key-set', longest)).toBe(longest);
  const header = { alg: 'ES256', kid: key.kid, typ: TRUST_TYPES['key-set'] };
  const parts = [canonicalJson(header), canonicalJson(longest), 'x'.repeat(64)];
  const text = parts.map((part) => Buffer.from(part).toString('base64url')).join('.');
  expect(text.length).toBeLessThan(MAX_SIGNED_BYTES);
  expect(text.length).toBeGreaterThan(MAX_SIGNED_BYTES / 2);
});
