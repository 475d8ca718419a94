// Locks a directory store and kills itself. Argument: root.
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { withDirectoryLock } from '../../../infra/store/directory/directory-lock.ts';

const root = process.argv[2];
const temporary = path.join(root, '.tmp');
await mkdir(temporary, { recursive: true });
const lock = { path: path.join(root, '.lock'), temporaryFolder: temporary, mode: 0o666 };
await withDirectoryLock(lock, () => process.kill(process.pid, 'SIGKILL'));
