import { readFile, readlink } from 'node:fs/promises';
import { hostname } from 'node:os';

/** Names one process for good: a pid alone is used again, and a boot forgets them all. */
export type ProcessIdentity = {
  readonly host: string;
  /** The process's own space of pids: in another one the same pid is another process. */
  readonly space: string;
  /** Id of the host's boot; empty where the system has none to give. */
  readonly boot: string;
  readonly pid: number;
  /** Start of the process in the system's own units; empty where the system has none to give. */
  readonly start: string;
};

/** The identity of this process. */
export async function readOwnIdentity(): Promise<ProcessIdentity> {
  return {
    host: hostname(),
    space: await readPidSpace(),
    boot: await readBootId(),
    pid: process.pid,
    start: await readStart(process.pid),
  };
}

/** Whether the process is provably gone: never true for a process of another host. */
export async function isProvablyDead(identity: ProcessIdentity): Promise<boolean> {
  if (identity.host !== hostname()) return false;
  if (differ(identity.boot, await readBootId())) return true;
  if (identity.space !== (await readPidSpace())) return false;
  if (!isRunning(identity.pid)) return true;
  return differ(identity.start, await readStart(identity.pid));
}

/** Whether two marks are known and not the same: what the system does not tell proves nothing. */
function differ(one: string, other: string): boolean {
  return one !== '' && other !== '' && one !== other;
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'; // a system call's error: it runs, but is not ours
  }
}

async function readBootId(): Promise<string> {
  return (await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => '')).trim();
}

async function readPidSpace(): Promise<string> {
  return readlink('/proc/self/ns/pid').catch(() => '');
}

/** Field 22 of `stat`, counted after the command's closing bracket, which may itself hold blanks. */
async function readStart(pid: number): Promise<string> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
}
