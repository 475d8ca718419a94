import { randomBytes } from 'node:crypto';
import { base64url, CompactEncrypt, compactDecrypt } from 'jose';
import { createAccount } from '../../../../gateway/core/accounts/account.js';
import { openSnapshot, sealSnapshot } from '../../../../gateway/io/backup/sealed-snapshot.js';
import type { SavedAccount } from '../../../../gateway/io/backup/saved-account.js';
import type { SnapshotKey } from '../../../../gateway/io/backup/snapshot-key.js';
import { sha256Hex } from '../../../../schemas/digest.js';

const CREATED_AT = '2026-08-20T12:00:00Z';
const createKey = (id: string): SnapshotKey => ({ id, bytes: new Uint8Array(randomBytes(32)), text: '' });
const KEY = createKey('one');

const active = { label: 'job', created_at: CREATED_AT, revoked_at: null };
const saved = (account: string): SavedAccount => ({
  account: { ...createAccount(account), keys: { Example1: active } },
  records: { Example1: { schema: 'key-record/1', sha256: sha256Hex(account), account } },
  usage: { Example1: '2026-08-19' },
});
const ACCOUNTS = [saved('acme'), saved('Jürgen <j@example.org>')];
const { header: HEADER, text: TEXT } = await sealSnapshot(ACCOUNTS, CREATED_AT, KEY);

/** Returns the exit and message with which a text is refused; `undefined` if it is accepted. */
async function refusalOf(text: string, key = KEY): Promise<string | undefined> {
  return openSnapshot(text, 'a.jwe', key).then(
    () => undefined,
    (error: unknown) => `${(error as { exit?: string }).exit ?? 'bug'}: ${(error as Error).message}`,
  );
}

/** Encrypts any content with a header. */
function seal(content: string, changes: object = {}): Promise<string> {
  const header = {
    alg: 'dir',
    enc: 'A256GCM',
    kid: KEY.id,
    ...HEADER,
    sha256: sha256Hex(content),
    ...changes,
  };
  return new CompactEncrypt(Buffer.from(content)).setProtectedHeader(header).encrypt(KEY.bytes);
}

it('reads what it wrote', async () => {
  expect(await openSnapshot(TEXT, 'a.jwe', KEY)).toEqual({ header: HEADER, accounts: ACCOUNTS });
});

it('says without the key what it contains, with the digest of the content', async () => {
  const [first = ''] = TEXT.split('.');
  expect(JSON.parse(Buffer.from(base64url.decode(first)).toString())).toEqual({
    ...{ alg: 'dir', enc: 'A256GCM', zip: 'DEF', cty: 'application/json', kid: 'one' },
    ...{ schema: 'accounts-snapshot/1', created_at: CREATED_AT, accounts: 2, keys: 2, sha256: HEADER.sha256 },
  });
  const { plaintext } = await compactDecrypt(TEXT, KEY.bytes);
  expect(sha256Hex(plaintext)).toBe(HEADER.sha256);
});

it('is encrypted differently each time', async () => {
  expect((await sealSnapshot(ACCOUNTS, CREATED_AT, KEY)).text).not.toBe(TEXT);
});

it('refuses every changed character and every cut', async () => {
  for (let i = 0; i < TEXT.length; i += 1) {
    for (const other of ['A', 'B', ' ']) {
      if (TEXT[i] === other) continue;
      const refusal = await refusalOf(TEXT.slice(0, i) + other + TEXT.slice(i + 1));
      expect([i, other, refusal]).toEqual([
        i,
        other,
        expect.stringMatching(/^(damaged|usage): a\.jwe .*\. Use /),
      ]);
    }
    expect([i, await refusalOf(TEXT.slice(0, i))]).toEqual([i, expect.stringMatching(/^damaged: a\.jwe /)]);
  }
  expect(await refusalOf(`${TEXT}A`)).toMatch(/^damaged/);
});

it('names both keys when the file was encrypted with another one, if they have different names', async () => {
  expect(await refusalOf(TEXT, createKey('two'))).toMatch(
    /^usage: a\.jwe was encrypted with the key one, and --key-file has the key two\. Use the other key\.$/,
  );
  expect(await refusalOf(TEXT, { ...createKey('two'), id: 'one' })).toMatch(/^damaged: a\.jwe was cut or/);
});

it.each([
  ['text', 'hello', /^damaged: a\.jwe is not a snapshot of accounts/],
  ['an empty file', '', /^damaged: a\.jwe is not a snapshot of accounts/],
])('refuses %s', async (_what, text, message) => {
  expect(await refusalOf(text)).toMatch(message);
});

const twice = JSON.stringify([saved('acme'), saved('acme')]);
const foreign = JSON.stringify([{ ...saved('acme'), records: saved('other').records }]);
const unlisted = JSON.stringify([
  { ...saved('acme'), records: { Example2: saved('acme').records['Example1'] } },
]);
it.each<[string, string, object, RegExp]>([
  ['a later format', '[]', { schema: 'accounts-snapshot/2' }, /^usage: .* format accounts-snapshot\/2/],
  ['another kind of file', '[]', { schema: 'session/1' }, /^damaged: .*is not a snapshot of accounts/],
  ['another digest', '[]', { sha256: HEADER.sha256 }, /^damaged: .*does not match its own digest/],
  ['a header without a time', '[]', { created_at: 1 }, /^damaged: .*has a header that is not valid/],
  ['an object', '{}', {}, /^damaged: .*not a list of accounts/],
  ['an empty entry', '[null]', {}, /^damaged: .*account 1 of 1 is empty/],
  [
    'an account that is not valid',
    '[{"account":{}}]',
    {},
    /^damaged: .*account 1 of 1 is not a valid account/,
  ],
  ['an account twice', twice, {}, /^damaged: .*account 2 of 2 is there twice/],
  ['a record of another account', foreign, {}, /^damaged: .*without valid records of its active keys/],
  ['a record of a key that is not listed', unlisted, {}, /^damaged: .*without valid records/],
  [
    'a day of use that is not a date',
    JSON.stringify([{ ...saved('a'), usage: { Example1: 'x' } }]),
    {},
    /^damaged: .*days of use/,
  ],
])('refuses %s, although it was encrypted with the key', async (_what, content, changes, message) => {
  expect(await refusalOf(await seal(content, changes))).toMatch(message);
});
