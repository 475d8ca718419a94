import { randomBytes } from 'node:crypto';
import { accountKey, keyRecordKey, keyUsageKey } from '../../gateway/core/account-keys.js';
import { grantsOf } from '../../gateway/core/account.js';
import { parseApiKey } from '../../gateway/core/api-key.js';
import { DOCUMENT_META } from '../../gateway/io/account-documents.js';
import { createAccounts, type Accounts, type GrantTerms } from '../../gateway/io/accounts.js';
import { createMemoryStore } from '../../infra/store/memory-store.js';
import { StoreError, type ObjectStore } from '../../infra/store/object-store.js';
import { sha256Hex } from '../../schemas/digest.js';
import { watchStore, type StoreOperation } from '../fixtures/watched-store.js';

const NOW = Date.parse('2026-08-20T12:00:00.750Z');
const ACCOUNT = 'auth0|somebody';
const LATER = '2026-09-01T00:00:00Z';
const RESEARCH: GrantTerms = { plan: 'research', chain: null, until: LATER, reason: 'trial' };
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

describe('a new key', () => {
  it('is active, known by its digest and shown once', async () => {
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

  it('needs an active grant where that is asked for, and leaves nothing behind when there is none', async () => {
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
      message: 'the subscription ended at 2026-09-01T00:00:00Z',
    });
  });

  it('is refused beside five active ones, and leaves nothing behind', async () => {
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

  it('gets another id when the first one drawn is taken', async () => {
    const store = createMemoryStore();
    let drawn = 0;
    const accounts = open(store, (size) => new Uint8Array(size).fill([1, 1, 1, 2][drawn++] ?? 3));
    expect((await accounts.createKey(ACCOUNT, KEY)).id).toBe('11111111');
    expect((await accounts.createKey('another', KEY)).id).toBe('22222222');
    expect(await accounts.readKey('11111111')).toMatchObject({ account: ACCOUNT });
  });

  it('is given up when the random bytes are always the same', async () => {
    const accounts = open(createMemoryStore(), (size) => new Uint8Array(size).fill(1));
    await accounts.createKey(ACCOUNT, KEY);
    await expect(accounts.createKey(ACCOUNT, KEY)).rejects.toThrow(/the random bytes are not random/);
  });
});

describe('revoking a key', () => {
  it('holds from then on, and tells the same instant again', async () => {
    const accounts = open(createMemoryStore());
    const { id } = await accounts.createKey(ACCOUNT, KEY);
    const revoked = { id, revoked_at: '2026-08-20T12:00:00Z' };
    expect(await accounts.revokeKey(ACCOUNT, id)).toEqual(revoked);
    nowMs += 60_000;
    expect(await accounts.revokeKey(ACCOUNT, id)).toEqual(revoked);
    expect((await accounts.readAccount(ACCOUNT))?.keys[id]).toMatchObject({ revoked_at: revoked.revoked_at });
  });

  it('finds neither an unknown key, nor that of another, nor one of no account, and writes nothing', async () => {
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
        message: 'the account has no such key',
      });
    }
    expect(await readAll(store)).toEqual(before);
  });
});

describe('a grant', () => {
  it('begins now, in whole seconds', async () => {
    const account = await open(createMemoryStore()).grant(ACCOUNT, RESEARCH);
    expect(account.grants).toEqual([{ ...RESEARCH, since: '2026-08-20T12:00:00Z', origin: 'manual' }]);
    expect(grantsOf(account)).toMatchObject([{ sinceMs: NOW - 750, untilMs: Date.parse(LATER) }]);
  });

  it('goes on from its beginning when it is made longer, and begins anew after its end', async () => {
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

  it('is ended now by an end in the past, once; where there is nothing to end, that is refused', async () => {
    const store = createMemoryStore();
    const accounts = open(store);
    const past = { ...RESEARCH, until: '2026-08-20T00:00:00Z' };
    await expect(accounts.grant(ACCOUNT, past)).rejects.toMatchObject({
      exit: 'refused',
      message: 'the account has no grant of Research to end: the end lies in the past',
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

describe('a lost answer', () => {
  const isSwap = ({ name, key }: StoreOperation): boolean =>
    name === 'compareAndSwap' && key.startsWith('accounts/');

  /** A store whose swaps of accounts fail with `code` while `fails` says so, before or after they are done. */
  function failing(code: StoreError['code'], when: 'before' | 'after', fails: () => boolean): ObjectStore {
    return watchStore(createMemoryStore(), async (operation, run) => {
      if (!isSwap(operation) || !fails()) return run();
      if (when === 'after') await run();
      throw new StoreError(code, 'the cable was cut');
    });
  }

  it('of a swap that was done is no failure: the key is shown and active, the grant and revocation made', async () => {
    const accounts = open(failing('unavailable', 'after', () => true));
    const { id } = await accounts.createKey(ACCOUNT, KEY);
    await accounts.grant(ACCOUNT, RESEARCH);
    expect(await accounts.readAccount(ACCOUNT)).toMatchObject({
      keys: { [id]: { revoked_at: null } },
      grants: [RESEARCH],
    });
    expect(await accounts.revokeKey(ACCOUNT, id)).toEqual({ id, revoked_at: '2026-08-20T12:00:00Z' });
  });

  it('of a swap that was not done is the failure of the store, and lists no key', async () => {
    const accounts = open(failing('unavailable', 'before', () => true));
    await expect(accounts.createKey(ACCOUNT, KEY)).rejects.toThrow('the cable was cut');
    expect(await accounts.readAccount(ACCOUNT)).toBeUndefined();
  });

  it('for a lock is tried again, but not for ever', async () => {
    let failures = 0;
    const accounts = open(failing('locked', 'before', () => (failures += 1) <= 3));
    await accounts.createKey(ACCOUNT, KEY);
    expect(failures).toBe(4);
    failures = -1_000;
    await expect(accounts.createKey(ACCOUNT, KEY)).rejects.toMatchObject({ code: 'locked' });
    expect(failures).toBe(-980);
  });

  it('is not taken for done when another has changed the account since', async () => {
    const memory = createMemoryStore();
    const other = open(memory);
    let isFirst = true;
    const store = watchStore(memory, async (operation, run) => {
      if (!isSwap(operation) || !isFirst) return run();
      isFirst = false;
      await other.createKey(ACCOUNT, KEY);
      throw new StoreError('unavailable', 'the cable was cut');
    });
    await expect(open(store).createKey(ACCOUNT, KEY)).rejects.toThrow('the cable was cut');
    expect(Object.keys((await other.readAccount(ACCOUNT))?.keys ?? {})).toHaveLength(1);
  });

  it('does not go on without end while others change the account each time', async () => {
    const memory = createMemoryStore();
    const other = open(memory);
    let minute = 0;
    const store = watchStore(memory, async (operation, run) => {
      minute += 1;
      const until = new Date(Date.parse(LATER) + minute * 60_000).toISOString().replace('.000Z', 'Z');
      if (isSwap(operation)) await other.grant(ACCOUNT, { ...RESEARCH, until });
      return run();
    });
    await expect(open(store).createKey(ACCOUNT, KEY)).rejects.toMatchObject({
      code: 'locked',
      message: expect.stringMatching(
        /^memory:: others keep changing accounts\/[0-9a-f]{64}\.json; run again$/,
      ),
    });
  });
});

describe('a damaged document', () => {
  const put = async (store: ObjectStore, key: string, text: string): Promise<void> => {
    await store.putIfAbsent(key, Buffer.from(text), DOCUMENT_META);
  };

  it.each([
    ['no JSON', '{"schema":', /is not JSON/],
    ['of another shape', '{"schema":"account/1","account":"x"}', /is not a valid account: \/ must have/],
    [
      'of another account',
      '{"schema":"account/1","account":"other","keys":{},"grants":[]}',
      /is the document of another account/,
    ],
  ])(
    'that is %s is told by its key, not by what it holds, and left as it is',
    async (_what, text, message) => {
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
    },
  );

  it('of a key is told too', async () => {
    const store = createMemoryStore();
    await put(store, keyRecordKey('Example1'), '{}');
    await expect(open(store).readKey('Example1')).rejects.toMatchObject({ exit: 'damaged' });
  });

  it('of a last use keeps nobody from anything: the day is not known, and the next use writes it anew', async () => {
    const store = createMemoryStore();
    await put(store, keyUsageKey('Example1'), '[]');
    const accounts = open(store);
    expect(await accounts.readUsage(['Example1'])).toEqual(new Map());
    await accounts.recordUsage('Example1', '2026-08-20');
    expect(await accounts.readUsage(['Example1'])).toEqual(new Map([['Example1', '2026-08-20']]));
  });
});

describe('reading', () => {
  it('knows nobody and no key in an empty store, whatever is asked for', async () => {
    const accounts = open(createMemoryStore());
    for (const text of ['', 'nobody', '../../etc', '\u0000', 'x'.repeat(10_000)]) {
      expect(await accounts.readAccount(text)).toBeUndefined();
      expect(await accounts.readKey(text)).toBeUndefined();
    }
  });

  it('asks no store for what is no key id', async () => {
    const store = watchStore(createMemoryStore(), () => Promise.reject(new Error('asked')));
    expect(await open(store).readKey('../accounts/x')).toBeUndefined();
  });
});

it('changes nothing for an account id that is none', async () => {
  const accounts = open(createMemoryStore());
  for (const id of ['', 'a\n', 'x'.repeat(256)]) {
    await expect(accounts.grant(id, RESEARCH)).rejects.toThrow('not an account id');
  }
});
