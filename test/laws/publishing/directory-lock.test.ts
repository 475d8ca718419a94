import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, readFile, unlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pMap from 'p-map';
import { createDirectoryStore } from '../../../infra/store/directory/directory-store.js';
import type { ObjectStore } from '../../../infra/store/object-store.js';
import { readOwnIdentity } from '../../../infra/store/directory/process-identity.js';
import { createTemporaryFolder, type TemporaryFolder } from '../../support/process/temporary-folder.js';

const META = { contentType: 'text/plain', cacheControl: 'no-cache' };
const WRITERS = Array.from({ length: 8 }, (_, i) => `writer ${i}`);

describe('the lock of a directory store', () => {
  let folder: TemporaryFolder;
  let root: string;
  let lock: string;
  beforeEach(async () => {
    folder = await createTemporaryFolder();
    root = path.join(folder.path, 'root');
    lock = path.join(root, '.lock');
    await mkdir(root);
  });
  afterEach(() => folder.dispose());

  const swap = (text: string, store: ObjectStore = createDirectoryStore(root)) =>
    store.compareAndSwap('object', Buffer.from(text), null, META);
  const stored = async () => (await createDirectoryStore(root).get('object'))?.bytes.toString();
  const locks = async () => (await readdir(root)).filter((name) => name.startsWith('.lock'));

  /** Leaves the lock of a killed process. */
  async function leaveDeadLock(): Promise<void> {
    await run('die-holding-lock.mjs', [root]);
    expect(await locks()).toEqual(['.lock']);
  }

  it('is taken over from a dead process of this host', async () => {
    await leaveDeadLock();
    expect(await swap('text')).not.toBe('conflict');
    expect([await stored(), await locks()]).toEqual(['text', []]);
  });

  it('is taken over from an earlier boot of this host', async () => {
    const own = await readOwnIdentity();
    await writeFile(lock, JSON.stringify({ ...own, boot: 'an earlier boot', nonce: '0' }));
    expect(await swap('text')).not.toBe('conflict');
    expect(await locks()).toEqual([]);
  });

  it('has one owner at a time, even when several writers take over a stale lock concurrently', async () => {
    for (let round = 0; round < 3; round += 1) {
      await leaveDeadLock();
      await createDirectoryStore(root).delete('object');
      const results = await pMap(WRITERS, (text) => swap(text));
      const winner = results.findIndex((result) => result !== 'conflict');
      expect(results.filter((result) => result === 'conflict')).toHaveLength(7);
      expect([await stored(), await locks()]).toEqual([WRITERS[winner], []]);
    }
  }, 300_000);

  it('is never taken over from another host; the error names the file and the owner', async () => {
    const own = await readOwnIdentity();
    const content = JSON.stringify({
      ...own,
      host: 'another-host',
      pid: 4711,
      boot: 'an earlier boot',
      nonce: '0',
    });
    await writeFile(lock, content);
    const error = await swap('text').catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ name: 'StoreError', code: 'locked' });
    expect(error).toMatchObject({
      message: expect.stringMatching(/process 4711 on host another-host.*remove the file/),
    });
    expect(error).toMatchObject({ message: expect.stringContaining(lock) });
    expect([await readFile(lock, 'utf8'), await stored()]).toEqual([content, undefined]);
  });

  it.each(['', 'not JSON', '{}', '[]', 'null'])(
    'is never taken over when its owner cannot be read: %j',
    async (content) => {
      await writeFile(lock, content);
      await expect(swap('text')).rejects.toMatchObject({
        code: 'locked',
        message: expect.stringContaining(lock),
      });
      expect([await readFile(lock, 'utf8'), await stored()]).toEqual([content, undefined]);
    },
  );

  it('is waited for while its owner is alive', async () => {
    const own = await readOwnIdentity();
    await writeFile(lock, JSON.stringify({ ...own, space: own.pidNamespace, nonce: '0' }));
    const swapping = swap('text');
    await sleep(60);
    expect(await stored()).toBeUndefined();
    await unlink(lock);
    expect(await swapping).not.toBe('conflict');
    expect([await stored(), await locks()]).toEqual(['text', []]);
  });

  it('is unlocked when the operation fails', async () => {
    await mkdir(path.join(root, 'object'));
    await expect(swap('text')).rejects.toThrow();
    expect(await locks()).toEqual([]);
  });

  it('loses no update when four processes increment a counter 50 times each', async () => {
    await pMap(WRITERS.slice(0, 4), () => run('increment-counter.mjs', [root, 'counter', '50']));
    expect((await createDirectoryStore(root).get('counter'))?.bytes.toString()).toBe('200');
    expect(await locks()).toEqual([]);
  }, 300_000);

  it('does not block writers after processes were killed at any moment', async () => {
    await pMap(WRITERS, (_, i) => run('increment-counter.mjs', [root, 'object', '1000000'], 3 * i), {
      concurrency: 4,
    });
    const store = createDirectoryStore(root);
    const before = await store.get('object');
    expect(before?.bytes.toString()).toMatch(/^[1-9][0-9]*$/);
    expect(await store.compareAndSwap('object', Buffer.from('text'), before?.etag ?? null, META)).not.toBe(
      'conflict',
    );
    expect(await stored()).toBe('text');
  }, 300_000);
});

/** Runs a program of test/support/stores to its end, or kills it this long after its first output. */
async function run(program: string, args: readonly string[], killAfterMs?: number): Promise<void> {
  const file = fileURLToPath(new URL(`../../support/stores/${program}`, import.meta.url));
  const child = spawn(process.execPath, ['--import', 'tsx', file, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = once(child, 'exit');
  if (killAfterMs !== undefined) {
    await Promise.race([once(child.stdout, 'data'), ended]);
    await sleep(killAfterMs);
    child.kill('SIGKILL');
  }
  await ended;
}
