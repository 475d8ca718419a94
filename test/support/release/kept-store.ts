import { randomBytes } from 'node:crypto';
import { access, mkdir, readdir, readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { sha256Hex } from '../../../schemas/digest.js';

const ROOT = path.join(import.meta.dirname, '../../..');
const KEPT = path.join(ROOT, '.ci/out/stores');

/** Options for `keepStore`. */
export type KeepOptions = {
  readonly name: string;
  /** Folders, relative to the repository, that the published bytes depend on. */
  readonly sources: readonly string[];
  /** Publishes to a directory store at `root`. */
  readonly publish: (root: string) => Promise<void>;
};

/**
 * Returns the root of a published directory store that all suites share, and that later runs use too until a source
 * changes. Do not write to it.
 */
export async function keepStore({ name, sources, publish }: KeepOptions): Promise<string> {
  const current = `${name}-${await digestOf(sources)}`;
  const root = path.join(KEPT, current);
  if (await exists(root)) return root;
  await mkdir(KEPT, { recursive: true });
  const outdated = (await readdir(KEPT)).filter(
    (each) => each.startsWith(`${name}-`) && !each.startsWith(current),
  );
  await Promise.all(outdated.map((each) => rm(path.join(KEPT, each), { recursive: true, force: true })));
  const draft = `${root}.${randomBytes(6).toString('hex')}`;
  await publish(draft);
  try {
    await rename(draft, root);
  } catch (error) {
    await rm(draft, { recursive: true });
    if (!(await exists(root))) throw error; // otherwise another suite has published it in the meantime
  }
  return root;
}

async function digestOf(sources: readonly string[]): Promise<string> {
  const lists = sources.map(async (folder) => {
    const entries = await readdir(path.join(ROOT, folder), { recursive: true, withFileTypes: true });
    return entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name));
  });
  const files = (await Promise.all(lists)).flat().sort();
  const digests = files.map(
    async (file) => `${path.relative(ROOT, file)} ${sha256Hex(await readFile(file))}`,
  );
  return sha256Hex([process.version, ...(await Promise.all(digests))].join('\n'));
}

async function exists(folder: string): Promise<boolean> {
  return access(folder).then(
    () => true,
    () => false,
  );
}
