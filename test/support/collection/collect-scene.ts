import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { addDays } from '../../../schemas/dates.js';
import type { Chain, SourcesPolicy } from '../../../schemas/types.generated.js';
import { runInProcess, type GeneratorRun } from '../process/generator-run.js';
import { createTemporaryFolder } from '../process/temporary-folder.js';

/** The dates of the operator's files. */
export const FIRST_DATE = '2026-03-15';
export const LAST_DATE = '2026-03-26';
/** The morning after the last one, from which every chain is collected. */
export const MORNING = '2026-03-27T06:15:00Z';

/** A folder with files of an operator, a policy that reads them, and an address to collect into. */
export type CollectScene = {
  readonly folder: string;
  /** The address, and the option that names it. */
  readonly address: string;
  readonly into: readonly [option: string, address: string];
  /** Writes a file of the operator, and returns its path. */
  readonly write: (file: string, text: string) => Promise<string>;
  /** Replaces a text in a file. */
  readonly change: (file: string, from: string, to: string) => Promise<void>;
  /** Writes the policy, and returns its path. Without an argument, it reads base from the files. */
  readonly writePolicy: (policy?: Partial<SourcesPolicy>) => Promise<string>;
  /** Runs `collect` with the policy at an instant. */
  readonly collect: (options?: readonly string[], at?: string) => Promise<GeneratorRun>;
  /** Returns every file below the address with its text. */
  readonly collected: () => Promise<ReadonlyMap<string, string>>;
  /** Returns the CSV that publish reads. */
  readonly csv: (chain: Chain) => Promise<string>;
  readonly dispose: () => Promise<void>;
};

export const OWN_FILES = {
  kind: 'files',
  folder: '.',
  name: 'Our pipeline',
  licence: 'own data',
  resale: 'yes',
} as const;

/** Creates a scene with twelve days of base. */
export async function createCollectScene(): Promise<CollectScene> {
  const { path: folder, dispose } = await createTemporaryFolder();
  const root = path.join(folder, 'collected');
  const address = `file:${root}`;
  const place = (file: string): string => path.join(folder, file);
  const policy = place('sources.policy.json');
  const scene: CollectScene = {
    folder,
    address,
    into: ['--into', address],
    dispose,
    async write(file, text) {
      await writeFile(place(file), text);
      return place(file);
    },
    async change(file, from, to) {
      const text = await readFile(place(file), 'utf8');
      if (!text.includes(from)) throw new Error(`${file} does not contain ${from}`);
      await writeFile(place(file), text.replace(from, to));
    },
    writePolicy: (changes = {}) =>
      scene.write(
        'sources.policy.json',
        JSON.stringify({
          schema: 'sources-policy/1',
          sources: { ours: OWN_FILES },
          chains: { base: { source: 'ours', since: FIRST_DATE } },
          ...changes,
        }),
      ),
    collect: (options = [], at = MORNING) =>
      runInProcess(['collect', '--policy', policy, '--into', address, ...options], at),
    collected: () => readTree(root),
    async csv(chain) {
      const pointer = JSON.parse(await readFile(path.join(root, 'collection.json'), 'utf8'));
      const { sha256 } = pointer.files[`${chain}.csv`];
      const files = await readTree(root);
      const found = [...files].find(([name]) => name.includes(sha256));
      if (found === undefined) throw new Error(`no file ${sha256}`);
      return found[1];
    },
  };
  await scene.write('base.csv', dailyCsv());
  await scene.writePolicy();
  return scene;
}

/** Returns a file with the metrics that arbitrum and base require. */
export function dailyCsv(first = FIRST_DATE, last = LAST_DATE): string {
  const rows = ['date,tx_count,active_addresses,fees_total,fee_median'];
  for (let date = first, i = 1; date <= last; date = addDays(date, 1), i += 1) {
    rows.push(`${date},${100_000 + i},${50_000 + i},1000.${i % 9}1,0.000${(i % 9) + 1}`);
  }
  return `${rows.join('\n')}\n`;
}

async function readTree(root: string): Promise<ReadonlyMap<string, string>> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true }).catch(() => []);
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name));
  const read = files
    .sort()
    .map(async (file) => [path.relative(root, file), await readFile(file, 'utf8')] as const);
  return new Map(await Promise.all(read));
}
