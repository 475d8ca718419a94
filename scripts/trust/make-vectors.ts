/**
 * Writes the test vectors of signed releases, test/vectors/trust. With `--check`, fails if a committed file differs. Signatures
 * by P-256 differ each time they are made: those that are committed stay if they are valid for the same document.
 */
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { signDocument } from '../../generator/signing/signer.js';
import { isPagePath } from '../../schemas/paths.js';
import { ALGORITHMS, verifySignature } from '../../schemas/trust/verify-jws.js';
import { toAttack, type Attack } from './attack-table.js';
import { forgedFiles, type StatesByName } from './forged-documents.js';
import { keyAttacks } from './key-attacks.js';
import { formAttacks } from './signature-attacks.js';
import { historyAttacks, TIME_ATTACKS } from './history-attacks.js';
import { fileAttacks, subscriberAttacks } from './site-attacks.js';
import { vectorStates, type SignFile, type VectorState } from './vector-states.js';

/** The folder of the vectors. */
const VECTORS_FOLDER = fileURLToPath(new URL('../../test/vectors/trust', import.meta.url));

/** A state in `vectors.json`. */
type VectorIndexState = {
  readonly about: string;
  readonly folder: string;
  readonly anchor: string;
  readonly now: string;
  readonly also_now: readonly string[];
  readonly sequence: number;
  readonly sha256: string;
  readonly key_set_version: number;
  readonly public_files: number;
  readonly releases: number;
};

/** The contents of `vectors.json`. */
export type VectorIndex = {
  readonly site: string;
  readonly states: Readonly<Record<string, VectorIndexState>>;
};

/** The contents of `attacks.json`. */
export type AttackTable = { readonly attacks: readonly Attack[] };

/** Contents by path below the folder of the vectors. */
type VectorTree = ReadonlyMap<string, Uint8Array>;

/** Returns all files of the vectors but the README. `kept` has the files that are committed. */
export async function makeVectors(kept: VectorTree): Promise<VectorTree> {
  const states = await vectorStates(signKeeping(kept));
  const stateOf = byName(states);
  const table: AttackTable = {
    attacks: [
      ...fileAttacks(stateOf),
      ...subscriberAttacks(stateOf),
      ...TIME_ATTACKS,
      ...historyAttacks(stateOf),
      ...keyAttacks(stateOf),
      ...formAttacks(stateOf),
    ].map((plan) => toAttack(plan, stateOf)),
  };
  const forged = Object.entries(await forgedFiles(stateOf));
  return new Map([
    ...states.flatMap(stateFiles),
    ...forged.map(([name, text]) => [`forged/${name}`, Buffer.from(text)] as const),
    ['vectors.json', toFile(toIndex(states))],
    ['attacks.json', toFile(table)],
  ]);
}

function signKeeping(kept: VectorTree): SignFile {
  return async (file, signer, name, document) => {
    const text = await signDocument(signer, name, document);
    const before = Buffer.from(kept.get(file) ?? []).toString();
    const isSame = before.slice(0, before.lastIndexOf('.')) === text.slice(0, text.lastIndexOf('.'));
    const alg = ALGORITHMS[signer.jwk.crv];
    const isValid = isSame && (await isSigned({ text: before, subject: '', alg }, signer.jwk));
    return isValid ? before : text;
  };
}

function isSigned(...signed: Parameters<typeof verifySignature>): Promise<boolean> {
  return verifySignature(...signed).then(
    () => true,
    () => false,
  );
}

function byName(states: readonly VectorState[]): StatesByName {
  return (name) => {
    const state = states.find((each) => each.name === name);
    if (state === undefined) throw new RangeError(`no state ${name}`);
    return state;
  };
}

function stateFiles({ name, files }: VectorState): [string, Uint8Array][] {
  return [...files].map(([urlPath, bytes]) => [`${folderOf(name)}/${vectorFile(urlPath)}`, bytes]);
}

const folderOf = (name: string): string => `states/${name}`;

/** Returns the path of a file in the folder of a state. A page is an `index.html`. */
function vectorFile(urlPath: string): string {
  return (isPagePath(urlPath) ? path.posix.join(urlPath, 'index.html') : urlPath).slice(1);
}

function toIndex(states: readonly VectorState[]): VectorIndex {
  const entries = states.map(({ name, about, anchor, now, alsoNow, release, documents }) => {
    const { sequence, sha256 } = documents.timestamp;
    const state: VectorIndexState = {
      about,
      folder: folderOf(name),
      anchor,
      now,
      also_now: alsoNow,
      sequence,
      sha256,
      key_set_version: documents['key-set'].version,
      public_files: Object.keys(release.record.public).length,
      releases: release.history.length,
    };
    return [name, state] as const;
  });
  return { site: states[0]?.documents.statement.site ?? '', states: Object.fromEntries(entries) };
}

function toFile(value: unknown): Uint8Array {
  return Buffer.from(`${JSON.stringify(value, null, 2)}\n`);
}

/** Reads all files below a folder but the README; none if it does not exist. */
export async function readVectors(folder = VECTORS_FOLDER): Promise<VectorTree> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const files = entries.filter((entry) => entry.isFile() && entry.name !== 'README.md');
  return new Map(
    await Promise.all(
      files.map(async ({ parentPath, name }) => {
        const file = path.join(parentPath, name);
        return [path.relative(folder, file).split(path.sep).join('/'), await readFile(file)] as const;
      }),
    ),
  );
}

/** Returns the files that differ between two trees, or that only one of them has. */
export function differences(one: VectorTree, other: VectorTree): string[] {
  const names = [...new Set([...one.keys(), ...other.keys()])];
  return names.filter((name) => hexOf(one, name) !== hexOf(other, name)).sort();
}

function hexOf(tree: VectorTree, name: string): string | undefined {
  const bytes = tree.get(name);
  return bytes && Buffer.from(bytes).toString('hex');
}

async function writeVectors(tree: VectorTree, changed: readonly string[]): Promise<void> {
  for (const name of changed) {
    const file = path.join(VECTORS_FOLDER, name);
    const bytes = tree.get(name);
    if (bytes === undefined) await rm(file);
    else {
      await mkdir(path.dirname(file), { recursive: true });
      await writeFile(file, bytes);
    }
  }
}

if (process.argv[1] === import.meta.filename) {
  const kept = await readVectors();
  const tree = await makeVectors(kept);
  const changed = differences(tree, kept);
  if (!process.argv.includes('--check')) await writeVectors(tree, changed);
  else if (changed.length > 0) {
    const named = changed.map((name) => `test/vectors/trust/${name}\n`).join('');
    process.stderr.write(`${named}These files differ from what the script makes. Run: npm run vectors\n`);
    process.exitCode = 1;
  }
}
