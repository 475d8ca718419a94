import { randomBytes } from 'node:crypto';
import { accountKey } from '../../../../schemas/account-key.js';
import { keyRecordKey, keyUsageKey } from '../../../../schemas/paths.js';
import { grantsOf } from '../../../../gateway/core/accounts/account.js';
import { parseApiKey } from '../../../../gateway/core/access/api-key.js';
import { DOCUMENT_META } from '../../../../gateway/io/accounts/account-documents.js';
import {
  createAccounts,
  type Accounts,
  type GrantPlanOptions,
} from '../../../../gateway/io/accounts/accounts.js';
import { createMemoryStore } from '../../../support/stores/memory-store.js';
import { StoreError, type ObjectStore } from '../../../../infra/store/object-store.js';
import { sha256Hex } from '../../../../schemas/digest.js';
import { interceptStore, type StoreOperation } from '../../../support/stores/intercept-store.js';

const NOW = Date.parse('2026-08-20T12:00:00.750Z');
const ACCOUNT = 'auth0|somebody';
const LATER = '2026-09-01T00:00:00Z';
const RESEARCH: GrantPlanOptions = { plan: 'research', chain: null, until: LATER, reason: 'trial' };
const KEY = { label: 'nightly job', needsGrant: false };

let nowMs = NOW;
beforeEach(() => {
  nowMs = NOW;
});

function open(store: ObjectStore, random = (size: number): Uint8Array => randomBytes(size)): Accounts {
  return createAccounts(store, { now: () => nowMs, random, mode: 'live', pause: () => Promise.resolve() });
}

async function readAll(store: ObjectStore): Promise<Map<string, string>> {
  const texts = new Map<string, string>();
  for await (const { key } of store.list('')) {
    texts.set(key, Buffer.from((await store.get(key))?.bytes ?? []).toString());
  }
  return texts;
}

describe('createKey', () => {
  it('creates an active key, stores its digest and shows the key once', async () => {
    const store = createMemoryStore();
    const accounts = open(store);
    const created = await accounts.createKey(ACCOUNT, KEY);
    expect(created).toMatchObject({ label: 'nightly job', created_at: '2026-08-20T12:00:00Z' });
    expect(parseApiKey(created.key, 'live')).toMatchObject({ id: created.id });
    expect(await accounts.readKey(created.id)).toEqual({
      schema: 'key-record/1',
      sha256: sha256Hex(created.key),
      account: ACCOUNT,
    });
    expect((await accounts.readAccount(ACCOUNT))?.keys).toEqual({
      [created.id]: { label: 'nightly job', created_at: '2026-08-20T12:00:00Z', revoked_at: null },
    });
    const stored = await readAll(store);
    expect([...stored.keys()].sort()).toEqual([accountKey(ACCOUNT), keyRecordKey(created.id)]);
    for (const [key, text] of stored) expect(key + text).not.toContain(created.key.slice(18));
  });

  it('requires an active grant with needsGrant, and writes nothing without one', async () => {
    const store = createMemoryStore();
    const accounts = open(store);
    const asked = { label: null, needsGrant: true };
    await expect(accounts.createKey(ACCOUNT, asked)).rejects.toMatchObject({ code: 'subscription-inactive' });
    expect(await readAll(store)).toEqual(new Map());
    await accounts.grant(ACCOUNT, RESEARCH);
    await accounts.createKey(ACCOUNT, asked);
    nowMs = Date.parse(LATER);
    await expect(accounts.createKey(ACCOUNT, asked)).rejects.toMatchObject({
      code: 'subscription-inactive',
      message: 'The subscription ended at 2026-09-01T00:00:00Z.',
    });
  });

  it('refuses a sixth active key and writes nothing', async () => {
    const store = createMemoryStore();
    const accounts = open(store);
    const ids: string[] = [];
    for (let n = 0; n < 5; n += 1) ids.push((await accounts.createKey(ACCOUNT, KEY)).id);
    const before = await readAll(store);
    await expect(accounts.createKey(ACCOUNT, KEY)).rejects.toMatchObject({ code: 'key-limit-reached' });
    expect(await readAll(store)).toEqual(before);
    await accounts.revokeKey(ACCOUNT, ids[3] ?? '');
    await accounts.createKey(ACCOUNT, KEY);
  });

  it('refuses a twenty-first key within 24 hours with isLimited, and writes nothing', async () => {
    const store = createMemoryStore();
    const accounts = open(store);
    const asked = { ...KEY, isLimited: true };
    for (let n = 0; n < 20; n += 1) {
      await accounts.revokeKey(ACCOUNT, (await accounts.createKey(ACCOUNT, asked)).id);
      nowMs += 60_000;
    }
    const before = await readAll(store);
    await expect(accounts.createKey(ACCOUNT, asked)).rejects.toMatchObject({
      code: 'rate-limited',
      headers: { 'Retry-After': String(23 * 3600 + 40 * 60) }, // created_at has no fractions of a second
    });
    expect(await readAll(store)).toEqual(before);
    await accounts.createKey('another', asked);
    await accounts.createKey(ACCOUNT, KEY); // an operator's: it is not limited, but counts
    nowMs = NOW + 86_400_000;
    await expect(accounts.createKey(ACCOUNT, asked)).rejects.toMatchObject({ code: 'rate-limited' });
    nowMs += 60_000;
    await accounts.createKey(ACCOUNT, asked);
  });

  it('returns the twentieth key of a day although the response of its write was lost', async () => {
    let isLost = false;
    const store = interceptStore(createMemoryStore(), async ({ name }, run) => {
      const done = await run();
      if (isLost && name === 'compareAndSwap') throw new StoreError('unavailable', 'the cable was cut');
      return done;
    });
    const accounts = open(store);
    const asked = { ...KEY, isLimited: true };
    for (let n = 0; n < 19; n += 1) {
      await accounts.revokeKey(ACCOUNT, (await accounts.createKey(ACCOUNT, asked)).id);
    }
    isLost = true;
    const { id } = await accounts.createKey(ACCOUNT, asked);
    expect((await accounts.readAccount(ACCOUNT))?.keys[id]).toMatchObject({ revoked_at: null });
  });

  it('draws another id as long as the drawn one is taken', async () => {
    const store = createMemoryStore();
    let drawn = 0;
    const accounts = open(store, (size) => new Uint8Array(size).fill([1, 1, 1, 2][drawn++] ?? 3));
    expect((await accounts.createKey(ACCOUNT, KEY)).id).toBe('11111111');
    expect((await accounts.createKey('another', KEY)).id).toBe('22222222');
    expect(await accounts.readKey('11111111')).toMatchObject({ account: ACCOUNT });
  });

  it('fails when the random bytes are always the same', async () => {
    const accounts = open(createMemoryStore(), (size) => new Uint8Array(size).fill(1));
    await accounts.createKey(ACCOUNT, KEY);
    await expect(accounts.createKey(ACCOUNT, KEY)).rejects.toThrow(/the random bytes are not random/);
  });
});

describe('revokeKey', () => {
  it('is permanent, and returns the same instant when repeated', async () => {
    const accounts = open(createMemoryStore());
    const { id } = await accounts.createKey(ACCOUNT, KEY);
    const revoked = { id, revoked_at: '2026-08-20T12:00:00Z' };
    expect(await accounts.revokeKey(ACCOUNT, id)).toEqual(revoked);
    nowMs += 60_000;
    expect(await accounts.revokeKey(ACCOUNT, id)).toEqual(revoked);
    expect((await accounts.readAccount(ACCOUNT))?.keys[id]).toMatchObject({ revoked_at: revoked.revoked_at });
  });

  it('throws not-found for an unknown key and for the key of another account, and writes nothing', async () => {
    const store = createMemoryStore();
    const accounts = open(store);
    const { id } = await accounts.createKey(ACCOUNT, KEY);
    await accounts.createKey('another', KEY);
    const before = await readAll(store);
    for (const [account, keyId] of [
      [ACCOUNT, 'Unknown1'],
      [ACCOUNT, 'toString'],
      [ACCOUNT, '../x'],
      ['another', id],
      ['nobody', id],
    ] as const) {
      await expect(accounts.revokeKey(account, keyId)).rejects.toMatchObject({
        code: 'not-found',
        message: 'The account has no such key.',
      });
    }
    expect(await readAll(store)).toEqual(before);
  });
});

describe('grant', () => {
  it('starts the grant now, in whole seconds', async () => {
    const account = await open(createMemoryStore()).grant(ACCOUNT, RESEARCH);
    expect(account.grants).toEqual([{ ...RESEARCH, since: '2026-08-20T12:00:00Z', origin: 'manual' }]);
    expect(grantsOf(account)).toMatchObject([{ sinceMs: NOW - 750, untilMs: Date.parse(LATER) }]);
  });

  it('keeps the start when it extends a grant, and starts an ended grant again', async () => {
    const accounts = open(createMemoryStore());
    await accounts.grant(ACCOUNT, RESEARCH);
    nowMs = Date.parse('2026-08-25T00:00:00Z');
    const longer = { ...RESEARCH, until: '2026-10-01T00:00:00Z', reason: 'invoice' };
    expect((await accounts.grant(ACCOUNT, longer)).grants).toEqual([
      { ...longer, since: '2026-08-20T12:00:00Z', origin: 'manual' },
    ]);
    nowMs = Date.parse('2026-12-01T00:00:00Z');
    const again = { ...RESEARCH, until: '2027-01-01T00:00:00Z' };
    expect((await accounts.grant(ACCOUNT, again)).grants).toEqual([
      { ...again, since: '2026-12-01T00:00:00Z', origin: 'manual' },
    ]);
  });

  it('ends a grant now if the end is in the past, and throws if there is no grant', async () => {
    const store = createMemoryStore();
    const accounts = open(store);
    const past = { ...RESEARCH, until: '2026-08-20T00:00:00Z' };
    await expect(accounts.grant(ACCOUNT, past)).rejects.toMatchObject({
      exit: 'refused',
      message: 'The account has no grant of Research to end. To create a grant, use an end in the future.',
    });
    expect(await readAll(store)).toEqual(new Map());
    await accounts.grant(ACCOUNT, RESEARCH);
    nowMs = Date.parse('2026-08-25T00:00:00Z');
    const ended = await accounts.grant(ACCOUNT, { ...past, reason: 'unpaid' });
    expect(ended.grants).toEqual([
      {
        ...RESEARCH,
        since: '2026-08-20T12:00:00Z',
        until: '2026-08-25T00:00:00Z',
        reason: 'unpaid',
        origin: 'manual',
      },
    ]);
    nowMs = Date.parse('2026-08-26T00:00:00Z');
    expect(await accounts.grant(ACCOUNT, past)).toEqual(ended);
  });
});

describe('when a write fails, accounts', () => {
  const isSwap = ({ name, key }: StoreOperation): boolean =>
    name === 'compareAndSwap' && key.startsWith('accounts/');

  /**
   * Returns a store whose writes of accounts fail with `code` while `fails` returns true, before or after they take
   * effect.
   */
  function failing(code: StoreError['code'], when: 'before' | 'after', fails: () => boolean): ObjectStore {
    return interceptStore(createMemoryStore(), async (operation, run) => {
      if (!isSwap(operation) || !fails()) return run();
      if (when === 'after') await run();
      throw new StoreError(code, 'the cable was cut');
    });
  }

  it('return the result of a write that took effect, for keys, grants and revocations', async () => {
    const accounts = open(failing('unavailable', 'after', () => true));
    const { id } = await accounts.createKey(ACCOUNT, KEY);
    await accounts.grant(ACCOUNT, RESEARCH);
    expect(await accounts.readAccount(ACCOUNT)).toMatchObject({
      keys: { [id]: { revoked_at: null } },
      grants: [RESEARCH],
    });
    expect(await accounts.revokeKey(ACCOUNT, id)).toEqual({ id, revoked_at: '2026-08-20T12:00:00Z' });
  });

  it('throw the error of the store after a write without effect, and add no key', async () => {
    const accounts = open(failing('unavailable', 'before', () => true));
    await expect(accounts.createKey(ACCOUNT, KEY)).rejects.toThrow('the cable was cut');
    expect(await accounts.readAccount(ACCOUNT)).toBeUndefined();
  });

  it('retry while the store is locked, up to a limit', async () => {
    let failures = 0;
    const accounts = open(failing('locked', 'before', () => (failures += 1) <= 3));
    await accounts.createKey(ACCOUNT, KEY);
    expect(failures).toBe(4);
    failures = -1_000;
    await expect(accounts.createKey(ACCOUNT, KEY)).rejects.toMatchObject({ code: 'locked' });
    expect(failures).toBe(-980); // after 20 attempts
  });

  it('throw when another writer has changed the account since', async () => {
    const memory = createMemoryStore();
    const other = open(memory);
    let isFirst = true;
    const store = interceptStore(memory, async (operation, run) => {
      if (!isSwap(operation) || !isFirst) return run();
      isFirst = false;
      await other.createKey(ACCOUNT, KEY);
      throw new StoreError('unavailable', 'the cable was cut');
    });
    await expect(open(store).createKey(ACCOUNT, KEY)).rejects.toThrow('the cable was cut');
    expect(Object.keys((await other.readAccount(ACCOUNT))?.keys ?? {})).toHaveLength(1);
  });

  it('retry up to a limit while other writers change the account each time', async () => {
    const memory = createMemoryStore();
    const other = open(memory);
    let minute = 0;
    const store = interceptStore(memory, async (operation, run) => {
      minute += 1;
      const until = new Date(Date.parse(LATER) + minute * 60_000).toISOString().replace('.000Z', 'Z');
      if (isSwap(operation)) await other.grant(ACCOUNT, { ...RESEARCH, until });
      return run();
    });
    await expect(open(store).createKey(ACCOUNT, KEY)).rejects.toMatchObject({
      code: 'locked',
      message: expect.stringMatching(
        /^memory:: other processes keep changing accounts\/[0-9a-f]{64}\.json\. Run again\.$/,
      ),
    });
  });
});

describe('a damaged document', () => {
  const put = async (store: ObjectStore, key: string, text: string): Promise<void> => {
    await store.putIfAbsent(key, Buffer.from(text), DOCUMENT_META);
  };

  it.each([
    ['text that is not JSON', '{"schema":', /is not JSON/],
    [
      'a document of another shape',
      '{"schema":"account/1","account":"x"}',
      /is not a valid account: \/ must have/,
    ],
    [
      'the document of another account',
      '{"schema":"account/1","account":"other","keys":{},"grants":[]}',
      /is the document of another account/,
    ],
  ])('is reported by its key, without its content, and not changed: %s', async (_what, text, message) => {
    const store = createMemoryStore();
    const key = accountKey(ACCOUNT);
    await put(store, key, text);
    const accounts = open(store);
    for (const work of [
      accounts.readAccount(ACCOUNT),
      accounts.createKey(ACCOUNT, KEY),
      accounts.grant(ACCOUNT, RESEARCH),
    ]) {
      await expect(work).rejects.toMatchObject({
        exit: 'damaged',
        message: expect.stringMatching(message),
      });
      await expect(work).rejects.toMatchObject({ message: expect.stringContaining(key) });
      await expect(work).rejects.not.toMatchObject({ message: expect.stringContaining('auth0') });
    }
    expect(await readAll(store)).toEqual(new Map([[key, text]]));
  });

  it('is reported too if it is the record of a key', async () => {
    const store = createMemoryStore();
    await put(store, keyRecordKey('Example1'), '{}');
    await expect(open(store).readKey('Example1')).rejects.toMatchObject({ exit: 'damaged' });
  });

  it('counts as absent if it is the last use of a key, and the next use replaces it', async () => {
    const store = createMemoryStore();
    await put(store, keyUsageKey('Example1'), '[]');
    const accounts = open(store);
    expect(await accounts.readUsage(['Example1'])).toEqual(new Map());
    await accounts.recordUsage('Example1', '2026-08-20');
    expect(await accounts.readUsage(['Example1'])).toEqual(new Map([['Example1', '2026-08-20']]));
  });
});

describe('readAccount and readKey', () => {
  it('find nothing in an empty store', async () => {
    const accounts = open(createMemoryStore());
    for (const text of ['', 'nobody', '../../etc', '\u0000', 'x'.repeat(10_000)]) {
      expect(await accounts.readAccount(text)).toBeUndefined();
      expect(await accounts.readKey(text)).toBeUndefined();
    }
  });

  it('do not read the store for an invalid key id', async () => {
    const store = interceptStore(createMemoryStore(), () => Promise.reject(new Error('asked')));
    expect(await open(store).readKey('../accounts/x')).toBeUndefined();
  });
});

it('rejects an invalid account id', async () => {
  const accounts = open(createMemoryStore());
  for (const id of ['', 'a\n', 'x'.repeat(256)]) {
    await expect(accounts.grant(id, RESEARCH)).rejects.toThrow('not an account id');
  }
});
