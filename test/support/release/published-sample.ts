import path from 'node:path';
import { runAsProcess } from '../process/generator-run.js';
import { keepStore } from './kept-store.js';

/** Folder of the metrics of the sample. */
export const SAMPLE = path.join(import.meta.dirname, '../../../scripts/sample');
const AS_OF = '2023-09-27T06:00:00Z';

/**
 * Returns the root of a directory store with one release of the sample, published by the built generator. Publishing takes
 * more than ten seconds, so the store is kept until a source changes. Do not write to it.
 */
export function publishSample(): Promise<string> {
  return keepStore({
    name: 'sample',
    sources: ['dist/chunks', 'dist/generator', 'dist/schemas', 'dist/templates', 'scripts/sample'],
    async publish(root) {
      const args = ['publish', '--input', SAMPLE, '--store', `file:${root}`, '--as-of', AS_OF];
      const { code, stderr } = await runAsProcess(args);
      if (code !== 0) throw new Error(`the sample was not published: ${stderr}`);
    },
  });
}
