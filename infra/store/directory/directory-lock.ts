import { randomBytes } from 'node:crypto';
import { link, readFile, rm, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sha256Hex } from '../../../schemas/digest.js';
import { StoreError } from '../object-store.js';
import { isProvablyDead, readOwnIdentity, type ProcessIdentity } from './process-identity.js';

const WAIT_MS = 10;
const TIMEOUT_MS = 30_000;

/** A lock file. Its drafts, with the permissions `mode`, are in `temporaryFolder` on the same file system. */
type DirectoryLock = {
  readonly path: string;
  readonly temporaryFolder: string;
  readonly mode: number;
};

/**
 * Runs `work` while this process owns the lock file, and unlocks it afterwards.
 * Takes over a lock whose owner is provably dead on this host, and waits for a live owner.
 * @throws StoreError 'locked' with the file and its owner: immediately if the owner is on another host or unknown,
 * after 30 s otherwise.
 */
export async function withDirectoryLock<T>(
  { path, ...drafts }: DirectoryLock,
  work: () => Promise<T>,
): Promise<T> {
  const contender = { ...(await readOwnIdentity()), ...drafts, deadlineMs: Date.now() + TIMEOUT_MS };
  const content = await acquire(path, contender);
  try {
    return await work();
  } finally {
    await unlock(path, content);
  }
}

/** Removes the lock file if it still has the given content. */
async function unlock(path: string, content: string): Promise<void> {
  if ((await readFile(path, 'utf8').catch(ignoreMissing)) === content) await unlink(path);
}

type Contender = ProcessIdentity & Omit<DirectoryLock, 'path'> & { readonly deadlineMs: number };

/** Resolves to the content of the lock file, which is unique. */
async function acquire(path: string, contender: Contender): Promise<string> {
  for (;;) {
    const created = await tryCreate(path, contender);
    if (created !== undefined) return created;
    const content = await readFile(path, 'utf8').catch(ignoreMissing);
    if (content === undefined) continue;
    const owner = parseOwner(content);
    if (owner === undefined || owner.host !== contender.host) throw lockedBy(path, owner);
    if (await isProvablyDead(owner)) await removeStale(path, content, contender);
    else if (Date.now() > contender.deadlineMs) throw lockedBy(path, owner);
    else await sleep(WAIT_MS);
  }
}

/** Creates the lock file atomically, with flushed content. Resolves to the content, or `undefined` if the file exists. */
async function tryCreate(path: string, contender: Contender): Promise<string | undefined> {
  const nonce = randomBytes(12).toString('hex');
  const { temporaryFolder, mode, host, pidNamespace, boot, pid, start } = contender;
  const content = JSON.stringify({ host, space: pidNamespace, boot, pid, start, nonce });
  const draft = join(temporaryFolder, nonce);
  try {
    await writeFile(draft, content, { flag: 'wx', mode, flush: true });
    await link(draft, path);
    return content;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return undefined; // link() rejects with a system error
    throw error;
  } finally {
    await rm(draft, { force: true }); // on a full disk it may exist without its content
  }
}

/**
 * Removes a lock whose owner is dead. Several processes may see the same stale lock, so the remover must own a second
 * lock, named after the content of the first, and removes the first only if its content is unchanged. If the remover
 * dies, its lock is removed the same way.
 */
async function removeStale(path: string, content: string, contender: Contender): Promise<void> {
  const marker = `${path}.${sha256Hex(content).slice(0, 16)}.takeover`;
  const own = await acquire(marker, contender);
  try {
    await unlock(path, content);
  } finally {
    await unlock(marker, own);
  }
}

/** Content of a lock file. Its member `space` is the pid namespace; the name stays, because locks of older versions have it. */
type LockFile = Omit<ProcessIdentity, 'pidNamespace'> & { readonly space: string; readonly nonce: string };

function parseOwner(text: string): ProcessIdentity | undefined {
  try {
    const value = JSON.parse(text) as Partial<LockFile>; // each member is checked below
    const { host, space, boot, pid, start } = value;
    if (typeof host !== 'string' || typeof pid !== 'number') return undefined;
    return { host, pidNamespace: space ?? '', boot: boot ?? '', pid, start: start ?? '' };
  } catch {
    return undefined;
  }
}

function lockedBy(path: string, owner: ProcessIdentity | undefined): StoreError {
  const who = owner ? `process ${owner.pid} on host ${owner.host}` : 'an unknown owner';
  return new StoreError(
    'locked',
    `${path} is locked by ${who}. Wait until that process ends, then run again. If it has already ended, remove the file first.`,
  );
}

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code === 'ENOENT') return undefined;
  throw error;
}
