import { readFileSync } from 'node:fs';
import { canonicalJson } from '../../../schemas/canonical-json.js';
import { sha256Hex } from '../../../schemas/digest.js';
import { MAX_SIGNED_BYTES, TRUST_TYPES } from '../../../schemas/trust/trust-documents.js';
import { ALGORITHMS, openJws } from '../../../schemas/trust/verify-jws.js';
import { signDocument } from '../../../generator/signing/signer.js';
import { TRUST_PATHS } from '../../../schemas/paths.js';
import { filesIn } from '../../../schemas/trust/document-forms.js';
import { parseStrict } from '../../../schemas/trust/strict-json.js';
import { TRUST_FAULTS, TrustError } from '../../../schemas/trust/trust-error.js';
import {
  isValidAt,
  readKeySet,
  verifyKeySet,
  verifyPastStatement,
  verifyStatement,
  verifyTimestamp,
  type VerifyOptions,
} from '../../../schemas/trust/verify-documents.js';
import type { KeySet, ReleaseKey } from '../../../schemas/types.generated.js';
import { testSigner } from '../../../scripts/trust/test-keys.js';
import { anchorOf, loadState, msOf, VECTORS } from '../../support/trust/vector-site.js';

const at = (now: string): VerifyOptions => ({ nowMs: msOf(now) });
const codeOf = (error: unknown): unknown => (error instanceof TrustError ? error.code : error);

function jwsOf(state: string, subject: string): { readonly text: string; readonly subject: string } {
  return { text: Buffer.from(loadState(state).get(subject) ?? []).toString(), subject };
}

function keySetOf(state: string): Promise<KeySet> {
  return readKeySet(jwsOf(state, TRUST_PATHS.keys));
}

describe('TRUST.md', () => {
  const text = readFileSync(new URL('../../../TRUST.md', import.meta.url), 'utf8');

  it('works an example through with the values of the vectors', () => {
    const files = loadState('release-3');
    const header = String(files.get(TRUST_PATHS.timestamp)).split('.')[0] ?? '';
    const { content } = openJws(jwsOf('release-3', TRUST_PATHS.timestamp), 'timestamp');
    const keySet = openJws(jwsOf('release-3', TRUST_PATHS.keys), 'key-set').content as KeySet; // of the vectors
    const list = String(files.get(TRUST_PATHS.releases));
    const past = list.slice(list.indexOf('['), list.lastIndexOf(']') + 1);
    for (const words of [
      VECTORS.states['release-3']?.anchor ?? '',
      VECTORS.states['release-3']?.now ?? '',
      Buffer.from(header, 'base64url').toString(),
      canonicalJson(content),
      canonicalJson(keySet.keys[0]?.jwk),
      `${sha256Hex(past)}\`, the SHA-256 of the ${past.length} bytes of \`${TRUST_PATHS.releases}\``,
    ])
      expect(text).toContain(words);
  });

  it('states the limits of JSON and of the list of files', () => {
    const limit = (pattern: RegExp): number => Number(pattern.exec(text)?.[1]?.replaceAll(',', ''));
    const isJson = (levels: number): boolean =>
      parseStrict(Buffer.from('['.repeat(levels) + ']'.repeat(levels))) !== undefined;
    const isList = (count: number, length: number, bytes: number): boolean => {
      const file = { path: `/${'a'.repeat(length - 1)}`, sha256: 'a'.repeat(64), bytes };
      const files = Array.from({ length: count }, () => file);
      return filesIn({ published_revision: '2026-03-04.000001', files }) !== undefined;
    };
    const [levels, files] = [limit(/at most (\d+) levels/), limit(/1 to ([\d,]+) `files`/)];
    const [length, bytes] = [limit(/at most ([\d,]+) characters from/), 2 ** 20 * limit(/0 to (\d+) MiB/)];
    expect([isJson(levels), isJson(levels + 1)]).toEqual([true, false]);
    expect(isList(files, length, bytes)).toBe(true);
    expect([isList(files + 1, 1, 0), isList(1, length + 1, 0), isList(1, 1, bytes + 1)]).not.toContain(true);
  });

  it('names every fault, kind of document, algorithm and path', () => {
    const rules = text.slice(text.indexOf('## Write your own verifier'), text.indexOf('## Attacks'));
    const names = [TRUST_FAULTS, Object.fromEntries(Object.entries(TRUST_TYPES).map(([, typ]) => [typ, 0]))];
    const all = [...names.flatMap(Object.keys), ...Object.values(ALGORITHMS), ...Object.values(TRUST_PATHS)];
    expect(all.filter((each) => !rules.includes(`\`${each}\``))).toEqual([]);
  });
});

describe('a key set', () => {
  const anchor = anchorOf(VECTORS.states['revoked']?.anchor ?? '');
  const verify = (now: string): Promise<unknown> =>
    verifyKeySet(jwsOf('revoked', TRUST_PATHS.keys), anchor, at(now)).then(({ version }) => version, codeOf);

  it.each([
    ['2026-03-04T23:54:59Z', 'timestamp-early'],
    ['2026-03-04T23:55:00Z', 3],
    ['2027-02-28T23:59:59Z', 3],
    ['2027-03-01T00:00:00Z', 'keys-expired'],
  ])('at %s: %s', async (now, expected) => {
    expect(await verify(now)).toBe(expected);
  });

  it('is readable without an anchor, which proves no owner', async () => {
    expect(await keySetOf('release-1')).toMatchObject({ version: 1, site: VECTORS.site });
  });

  it('is signed only if it has the form of its schema', async () => {
    const keySet = await keySetOf('release-1');
    await expect(
      signDocument(await testSigner('root'), 'key-set', { ...keySet, version: 0 }),
    ).rejects.toThrow('version');
  });
});

describe('a timestamp', () => {
  it.each([
    ['2026-03-04T05:54:59Z', 'timestamp-early'],
    ['2026-03-04T05:55:00Z', 3],
    ['2026-03-06T05:59:59Z', 3],
    ['2026-03-06T06:00:00Z', 'timestamp-expired'],
  ])('at %s: %s', async (now, expected) => {
    const keySet = await keySetOf('release-3');
    const found = await verifyTimestamp(jwsOf('release-3', TRUST_PATHS.timestamp), keySet, at(now)).then(
      ({ sequence }) => sequence,
      codeOf,
    );
    expect(found).toBe(expected);
  });
});

describe('a statement', () => {
  const jws = jwsOf('release-3', TRUST_PATHS.statement);
  const now = at('2026-03-05T06:00:00Z');

  it('says what a release consists of', async () => {
    expect(await verifyStatement(jws, await keySetOf('release-3'), now)).toMatchObject({
      revision: '2026-03-04.000001',
      sequence: 3,
      previous: { revision: '2026-03-03.000001', sha256: VECTORS.states['release-2']?.sha256 },
    });
  });

  it('about the current release is worth nothing by a revoked key; about a past one it is', async () => {
    const keySet = await keySetOf('revoked');
    expect(await verifyStatement(jws, keySet, now).catch(codeOf)).toBe('key-revoked');
    expect(await verifyPastStatement(jws, keySet)).toMatchObject({ sequence: 3 });
  });

  it('about a past release needs a key that is listed, and the same site', async () => {
    const keySet = await keySetOf('release-3');
    const fault = (other: KeySet) => verifyPastStatement(jws, other).catch(codeOf);
    expect(await fault({ ...keySet, keys: keySet.keys.slice(1) })).toBe('key-unknown');
    expect(await fault({ ...keySet, site: 'https://other.example.com' })).toBe('site-wrong');
  });
});

describe('a signed document of almost 256 KiB', () => {
  const options = at('2026-03-04T12:00:00Z');
  const expectLong = (text: string): void => {
    expect(text.length).toBeGreaterThan(130_000);
    expect(text.length).toBeLessThan(MAX_SIGNED_BYTES);
  };

  it('is verified if it is a key set', async () => {
    const keySet = await keySetOf('release-3');
    const revoked = { at: keySet.issued_at, reason: '\u{1f511}'.repeat(200) };
    const others = keySet.keys.slice(1, 2).map((key) => ({ ...key, revoked }));
    const keys = [...keySet.keys, ...Array.from({ length: 97 }, () => others).flat()];
    const text = await signDocument(await testSigner('root'), 'key-set', { ...keySet, keys });
    expectLong(text);
    const anchor = anchorOf(VECTORS.states['release-3']?.anchor ?? '');
    expect((await verifyKeySet({ text, subject: TRUST_PATHS.keys }, anchor, options)).keys).toHaveLength(100);
  });

  it('is verified if it is a statement', async () => {
    const keySet = await keySetOf('release-3');
    const statement = await verifyStatement(jwsOf('release-3', TRUST_PATHS.statement), keySet, options);
    const paths = Array.from({ length: 1_750 }, (_, i) => `/api/v1/files/made/${i}/manifest.json`);
    const manifests = Object.fromEntries(paths.map((path) => [path, statement.sha256]));
    const long = { ...statement, manifests };
    const text = await signDocument(await testSigner('release-a'), 'release-statement', long);
    expectLong(text);
    expect(await verifyStatement({ text, subject: TRUST_PATHS.statement }, keySet, options)).toEqual(long);
  });
});

describe('a key', () => {
  it.each([
    ['2026-03-04T11:54:59Z', false],
    ['2026-03-04T11:55:00Z', true],
    ['2027-02-28T23:59:59Z', true],
    ['2027-03-01T00:00:00Z', false],
  ])('may sign at %s: %s', async (now, expected) => {
    const { kid } = await testSigner('release-b');
    const { keys } = await keySetOf('rotated');
    const key = keys.find((each) => each.kid === kid) as ReleaseKey; // the state has it
    expect(isValidAt(key, msOf(now))).toBe(expected);
  });
});
