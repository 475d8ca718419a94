import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { checkForm } from '../../generator/signing/signed-history.js';
import type { TrustAnchor } from '../../schemas/trust/trust-anchor.js';
import { verifyKeySet } from '../../schemas/trust/verify-documents.js';
import { assertBuildStatement, type BuildStatement } from './build-statement.js';
import { findOutputFaults } from './check-outputs.js';
import { openEnvelope } from './dsse.js';

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
  const keySet = await verifyKeySet(jws, anchor, { checkForm, nowMs });
  const opened = await openEnvelope(await readFile(file, 'utf8'), keySet, { subject: file, nowMs });
  const statement = assertBuildStatement(opened.statement);
  const faults = await findOutputFaults(path.dirname(file), statement.subject);
  if (faults.length > 0) throw new Error(faults.join('\n'));
  return { statement, kid: opened.kid };
}
