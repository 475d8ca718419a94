import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { TrustAnchor } from '../../schemas/trust/trust-anchor.js';
import { verifyKeySet } from '../../schemas/trust/verify-documents.js';
import { assertBuildStatement, type BuildStatement, type Subject } from './build-statement.js';
import { openEnvelope } from './dsse.js';
import { sha256Hex } from '../../schemas/digest.js';
import { digestFiles } from '../build/digest-files.js';
import { BUNDLE } from '../build/write-outputs.js';

/** Options of `verifyProvenance`. */
type VerifyProvenanceOptions = {
  readonly anchor: TrustAnchor;
  /** File of the key set (`keys.jws`). */
  readonly keys: string;
  readonly nowMs: number;
};

/**
 * Verifies a provenance against a key set, and the outputs beside it against the provenance. The key must be in force: a
 * provenance by an expired key is made again from its commit.
 * @throws TrustError, or Error with a line for each file that is not as it was built
 */
export async function verifyProvenance(
  file: string,
  { anchor, keys, nowMs }: VerifyProvenanceOptions,
): Promise<{ statement: BuildStatement; kid: string }> {
  const jws = { text: (await readFile(keys, 'utf8')).trim(), subject: keys };
  const keySet = await verifyKeySet(jws, anchor, { nowMs });
  const opened = await openEnvelope(await readFile(file, 'utf8'), keySet, { subject: file, nowMs });
  const statement = assertBuildStatement(opened.statement);
  const faults = await findOutputFaults(path.dirname(file), statement.subject);
  if (faults.length > 0) throw new Error(faults.join('\n'));
  return { statement, kid: opened.kid };
}

/** Returns what is wrong with the outputs in a folder, a line per file; an empty list if they are what was built. */
async function findOutputFaults(folder: string, subjects: readonly Subject[]): Promise<string[]> {
  if (subjects.length === 0) return ['the provenance lists no files'];
  const faults = await Promise.all(subjects.map((subject) => findFault(folder, subject)));
  return [...faults.flat(), ...(await findStrangers(folder, subjects))];
}

async function findFault(folder: string, { name, digest }: Subject): Promise<string[]> {
  if (name.startsWith('/') || name.split('/').includes('..')) return [`${name} is outside the folder`];
  try {
    const isBuilt = sha256Hex(await readFile(path.join(folder, name))) === digest.sha256;
    return isBuilt ? [] : [`${name} has other bytes than the provenance says`];
  } catch (error) {
    return [`${name} cannot be read: ${(error as Error).message}`];
  }
}

/** Finds files of the bundle that were not built. The gateway could load them. */
async function findStrangers(folder: string, subjects: readonly Subject[]): Promise<string[]> {
  const known = new Set(subjects.map(({ name }) => name));
  const found = await digestFiles(path.join(folder, BUNDLE)).catch(() => new Map<string, string>()); // reported as missing
  return [...found.keys()]
    .map((name) => `${BUNDLE}/${name}`)
    .filter((name) => !known.has(name))
    .map((name) => `${name} is not in the provenance`);
}
