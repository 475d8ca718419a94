import { randomBytes } from 'node:crypto';
import { link, readFile, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sha256Hex } from '../../schemas/digest.js';
import { StoreError } from './object-store.js';
import { isProvablyDead, readOwnIdentity, type ProcessIdentity } from './process-identity.js';

const WAIT_MS = 10;
const PATIENCE_MS = 30_000;

/**
 * Runs `work` while holding the lock file `path`; the lock is gone afterwards. Drafts of the lock lie in
 * `temporaryFolder`, on the same file system.
 * A lock whose owner is provably dead on this host is taken over. One of a live process is waited for.
 * @throws StoreError 'locked' naming file and owner, for a lock of another host at once, of a live process after 30 s.
 */
export async function withDirectoryLock<T>(
  path: string,
  temporaryFolder: string,
  work: () => Promise<T>,
): Promise<T> {
  const contender = { ...(await readOwnIdentity()), temporaryFolder, deadlineMs: Date.now() + PATIENCE_MS };
  const held = await acquire(path, contender);
  try {
    return await work();
  } finally {
    await release(path, held);
  }
}

/** Removes the lock while it is still the one that was acquired. */
async function release(path: string, held: string): Promise<void> {
  if ((await readFile(path, 'utf8').catch(ignoreMissing)) === held) await unlink(path);
}

type Contender = ProcessIdentity & { readonly temporaryFolder: string; readonly deadlineMs: number };

/** Resolves the content of the lock, which is like no other. */
async function acquire(path: string, contender: Contender): Promise<string> {
  for (;;) {
    const created = await tryCreate(path, contender);
    if (created !== undefined) return created;
    const held = await readFile(path, 'utf8').catch(ignoreMissing);
    if (held === undefined) continue;
    const holder = parseOwner(held);
    if (holder === undefined || holder.host !== contender.host) throw lockedBy(path, holder);
    if (await isProvablyDead(holder)) await removeDead(path, held, contender);
    else if (Date.now() > contender.deadlineMs) throw lockedBy(path, holder);
    else await sleep(WAIT_MS);
  }
}

/** Creates the lock whole or not at all, flushed before it gets its name; resolves its content when it was free. */
async function tryCreate(path: string, contender: Contender): Promise<string | undefined> {
  const nonce = randomBytes(12).toString('hex');
  const { temporaryFolder, host, space, boot, pid, start } = contender;
  const content = JSON.stringify({ host, space, boot, pid, start, nonce });
  const draft = join(temporaryFolder, nonce);
  await writeFile(draft, content, { flag: 'wx', flush: true });
  try {
    await link(draft, path);
    return content;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return undefined; // a system call's error
    throw error;
  } finally {
    await unlink(draft);
  }
}

/**
 * Removes a lock whose owner is dead. Two may see the same dead lock: only the holder of a second lock, named after
 * the content of the first, removes it, and only while it still has that content. A remover that dies is removed in
 * the same way.
 */
async function removeDead(path: string, held: string, contender: Contender): Promise<void> {
  const marker = `${path}.${sha256Hex(held).slice(0, 16)}.takeover`;
  const own = await acquire(marker, contender);
  try {
    if ((await readFile(path, 'utf8').catch(ignoreMissing)) === held) await unlink(path);
  } finally {
    await release(marker, own);
  }
}

function parseOwner(text: string): ProcessIdentity | undefined {
  try {
    const value = JSON.parse(text) as Partial<ProcessIdentity>; // judged member by member below
    const { host, space, boot, pid, start } = value;
    if (typeof host !== 'string' || typeof pid !== 'number') return undefined;
    return { host, space: space ?? '', boot: boot ?? '', pid, start: start ?? '' };
  } catch {
    return undefined;
  }
}

function lockedBy(path: string, owner: ProcessIdentity | undefined): StoreError {
  const who = owner ? `process ${owner.pid} on host ${owner.host}` : 'an unknown owner';
  return new StoreError(
    'locked',
    `${path} is held by ${who}; when that process is certainly gone, remove the file and run again`,
  );
}

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code === 'ENOENT') return undefined;
  throw error;
}
