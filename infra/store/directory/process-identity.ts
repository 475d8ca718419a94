import { readFile, readlink } from 'node:fs/promises';
import { hostname } from 'node:os';

/** Identifies one process for all time, if the system provides all of it: a pid is reused, and starts over after a boot. */
export type ProcessIdentity = {
  readonly host: string;
  /** The process's pid namespace: the same pid in another namespace is another process. */
  readonly pidNamespace: string;
  /** Id of the host's boot; empty if the system does not provide one. */
  readonly boot: string;
  readonly pid: number;
  /** Start time of the process in the system's units; empty if the system does not provide one. */
  readonly start: string;
};

export async function readOwnIdentity(): Promise<ProcessIdentity> {
  return {
    host: hostname(),
    pidNamespace: await readPidNamespace(),
    boot: await readBootId(),
    pid: process.pid,
    start: await readStart(process.pid),
  };
}

/** Returns true only if the process has provably ended; always false on a host with another name. Hosts that share a store need different names. */
export async function isProvablyDead(identity: ProcessIdentity): Promise<boolean> {
  if (identity.host !== hostname()) return false;
  if (differ(identity.boot, await readBootId())) return true;
  if (identity.pidNamespace !== (await readPidNamespace())) return false;
  if (!isRunning(identity.pid)) return true;
  return differ(identity.start, await readStart(identity.pid));
}

/** Compares two values, of which an empty one is unknown and proves nothing. */
function differ(one: string, other: string): boolean {
  return one !== '' && other !== '' && one !== other;
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'; // the process runs as another user
  }
}

async function readBootId(): Promise<string> {
  return (await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => '')).trim();
}

async function readPidNamespace(): Promise<string> {
  return readlink('/proc/self/ns/pid').catch(() => '');
}

/** Reads field 22 of `stat`, counted from the end of the command name, which may contain blanks. */
async function readStart(pid: number): Promise<string> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] ?? '';
}
