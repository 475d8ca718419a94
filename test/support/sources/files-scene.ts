import { writeFile } from 'node:fs/promises';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { sha256Hex } from '../../../schemas/digest.js';
import type { Evidence } from '../../../generator/core/collection/day-values.js';
import { openInputFolder } from '../../../generator/input/input-folder.js';
import { createFiles, type FilesOptions } from '../../../generator/sources/files/files.js';
import { createTemporaryFolder } from '../process/temporary-folder.js';
import type { Source } from '../../../generator/sources/source.js';

/** A folder of an operator's files. The clock is at 06:15 UTC on 2026-03-27. */
export type FilesScene = {
  readonly folder: string;
  readonly write: (file: string, text: string) => Promise<void>;
  /** Replaces a text in a file. */
  readonly change: (file: string, from: string, to: string) => void;
  /** Creates a source for a new collection. */
  readonly create: (options?: Partial<FilesOptions>) => Source;
  readonly expectServed: (evidence: Evidence) => void;
  readonly dispose: () => Promise<void>;
};

const TERMS = {
  id: 'ours',
  name: 'Our pipeline',
  url: 'https://data.example',
  licence: 'own data',
  resale: 'yes',
} as const;

/** Creates an empty folder. */
export async function createFilesScene(): Promise<FilesScene> {
  const { path: folder, dispose } = await createTemporaryFolder();
  const opened = await openInputFolder(folder, () => Promise.reject(new Error('no bucket')));
  const bytesOf = (file: string): Buffer => readFileSync(path.join(folder, file));
  return {
    folder,
    write: (file, text) => writeFile(path.join(folder, file), text),
    change(file, from, to) {
      writeFileSync(path.join(folder, file), bytesOf(file).toString('utf8').replace(from, to));
    },
    create: (options) =>
      createFiles({ ...TERMS, folder: opened, now: () => Date.parse('2026-03-27T06:15:00Z'), ...options }),
    expectServed(evidence) {
      if (evidence.kind !== 'responses') throw new Error(`expected responses, got ${evidence.kind}`);
      const [response] = evidence.responses;
      const bytes = bytesOf(response?.url.replace('files:', '') ?? '');
      expect(evidence.responses).toEqual([
        {
          url: response?.url,
          sha256: sha256Hex(bytes),
          bytes: bytes.length,
          fetched_at: '2026-03-27T06:15:00Z',
        },
      ]);
    },
    dispose,
  };
}
