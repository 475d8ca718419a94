/** Keeps a small store of this build, which the builds after it must be able to read and continue. Run by `npm run keep-store`, once for each build that publishes. */
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { createTemporaryFolder } from '../support/process/temporary-folder.js';
import { runAsProcess } from '../support/process/generator-run.js';
import { writeSmallInput } from '../support/release/small-input.js';
import { GOLDEN } from './scenario.js';

const folder = await createTemporaryFolder();
const inFolder = (name: string): string => path.join(folder.path, name);
const store = ['--store', `file:${inFolder('store')}`];

async function run(...args: string[]): Promise<void> {
  const { code, stderr } = await runAsProcess([...args, ...store, '--quiet']);
  if (code !== 0) throw new Error(stderr);
}

const first = await writeSmallInput(inFolder('first'), { days: { bitcoin: 31, arbitrum: 8 } });
const revised = '2025-01-20';
const second = await writeSmallInput(inFolder('second'), { days: { bitcoin: 32, arbitrum: 9 }, revised });
await writeSmallInput(inFolder('third'), { days: { bitcoin: 33, arbitrum: 10 }, revised });
const accept = ['--accept-restatements', 'upstream corrected a count'];
await run('publish', '--input', first, '--as-of', '2025-02-01T12:00:00Z');
await run('publish', '--input', second, '--as-of', '2025-02-02T12:00:00Z', ...accept);
await run('hold', '--chain', 'arbitrum', '--reason', 'a source changes', '--as-of', '2025-02-02T13:00:00Z');
const archive = path.join(GOLDEN, 'previous-store.tar.gz');
const fixed = ['--sort=name', '--mtime=@0', '--owner=0', '--group=0', '--exclude=store/.*'];
execFileSync('tar', [...fixed, '-czf', archive, '-C', folder.path, 'store', 'third']);
await folder.dispose();
