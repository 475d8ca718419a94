import { execFile, execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, open, rm, rmdir, statfs, writeFile } from 'node:fs/promises';
import { mkdtempSync, rmdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A file system of 64 MB and 20,000 files, with the reserve of 5 % that publish leaves on it. */
export type SmallDisk = {
  readonly path: string;
  readonly reserveBytes: number;
  readonly reserveFiles: number;
  /** Returns the free space. */
  readonly free: () => Promise<{ readonly bytes: number; readonly files: number }>;
  /** Writes a file that leaves so many bytes free. */
  readonly fill: (leaveBytes: number) => Promise<void>;
  /** Creates empty files that leave room for so many others. */
  readonly fillFiles: (leaveFiles: number) => Promise<void>;
  /** Deletes what `fill` and `fillFiles` wrote. */
  readonly clear: () => Promise<void>;
  readonly dispose: () => Promise<void>;
};

/** Returns whether this user may mount a file system. */
export function canMount(): boolean {
  const folder = mkdtempSync(path.join(tmpdir(), 'mount-'));
  try {
    execFileSync('mount', ['-t', 'tmpfs', 'tmpfs', folder], { stdio: 'ignore' });
    execFileSync('umount', [folder]);
    return true;
  } catch {
    return false;
  } finally {
    rmdirSync(folder);
  }
}

/** Mounts a small disk. */
export async function mountSmallDisk(): Promise<SmallDisk> {
  const disk = await mkdtemp(path.join(tmpdir(), 'disk-'));
  await run('mount', ['-t', 'tmpfs', '-o', 'size=64m,nr_inodes=20000', 'tmpfs', disk]);
  const filler = path.join(disk, 'filler');
  const free = async (): Promise<{ bytes: number; files: number }> => {
    const { bavail, bsize, ffree } = await statfs(disk);
    return { bytes: bavail * bsize, files: ffree };
  };
  const { blocks, bsize, files } = await statfs(disk);
  return {
    path: disk,
    reserveBytes: Math.floor(blocks * bsize * 0.05),
    reserveFiles: Math.floor(files * 0.05),
    free,
    async fill(leaveBytes) {
      await mkdir(filler, { recursive: true });
      const file = await open(path.join(filler, 'bytes'), 'a');
      const { bytes } = await free();
      await file.appendFile(Buffer.alloc(Math.max(0, bytes - leaveBytes)));
      await file.close();
    },
    async fillFiles(leaveFiles) {
      await mkdir(filler, { recursive: true });
      const { files: available } = await free();
      for (let i = leaveFiles; i < available; i += 1) await writeFile(path.join(filler, `file-${i}`), '');
    },
    clear: () => rm(filler, { recursive: true, force: true }),
    async dispose() {
      await run('umount', [disk]);
      await rmdir(disk);
    },
  };
}
