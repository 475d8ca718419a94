import { PUBLIC_PATHS, TRUST_PATHS } from '../../../schemas/paths.js';
import { UNPROVEN, type TrustError } from '../../../schemas/trust/trust-error.js';
import type { SiteProof } from '../../../schemas/trust/verify-site.js';
import { count, countWords, instantWords } from '../../../schemas/words.js';

/** The steps of verification in their order, with their names. */
export const STEP_NAMES = {
  keys: 'Key set',
  timestamp: 'Timestamp',
  release: 'Release',
  history: 'List of releases',
  files: 'Public files',
} as const;

type StepId = keyof typeof STEP_NAMES;

const STEP_IDS = Object.keys(STEP_NAMES) as readonly StepId[]; // Object.keys loses the key type

/** State of a step. `unproven`: it could not be checked, and nothing false was found. */
export type StepState = 'waiting' | 'checking' | 'proven' | 'failed' | 'unproven';

/** A step as the page shows it. Without `words`, the page keeps what the step is about. */
export type Step = { readonly id: StepId; readonly state: StepState; readonly words?: string };

/** Returns the steps while verification runs. */
export function runningSteps(proof: Partial<SiteProof>): Step[] {
  const current = STEP_IDS.find((id) => !isProven(id, proof));
  return STEP_IDS.map((id) => {
    const state = isProven(id, proof) ? 'proven' : id === current ? 'checking' : 'waiting';
    return { id, state, ...wordsOf(id, proof) };
  });
}

/** Returns the steps after verification has ended with a fault: what was proven before it, and nothing after it. */
export function failedSteps(proof: Partial<SiteProof>, fault: TrustError): Step[] {
  const failed = STEP_IDS.indexOf(stepOf(fault.subject));
  return STEP_IDS.map((id, i): Step => {
    if (i < failed) return { id, state: 'proven', ...wordsOf(id, proof) };
    if (i > failed) return { id, state: 'waiting' };
    const words = isUnsigned(fault) ? `${fault.subject} does not exist.` : `${fault.message}.`;
    return { id, state: UNPROVEN.has(fault.code) ? 'unproven' : 'failed', words };
  });
}

/** Returns whether a fault says that the site has no key set, and therefore signs nothing. */
export function isUnsigned({ code, subject }: TrustError): boolean {
  return code === 'release-unsigned' && subject === TRUST_PATHS.keys;
}

/** Returns the step that reads a file. */
export function stepOf(subject: string): StepId {
  const ids: Readonly<Record<string, StepId>> = {
    [TRUST_PATHS.keys]: 'keys',
    [TRUST_PATHS.timestamp]: 'timestamp',
    [TRUST_PATHS.statement]: 'release',
    [PUBLIC_PATHS.release]: 'release',
    [TRUST_PATHS.releases]: 'history',
  };
  return ids[subject] ?? 'files';
}

function isProven(id: StepId, proof: Partial<SiteProof>): boolean {
  if (id === 'files') return proof.files !== undefined && proof.verified === proof.files;
  const members = {
    keys: proof.keySet,
    timestamp: proof.timestamp,
    release: proof.releases, // the list of its files is read with the list of releases
    history: proof.releases,
  };
  return members[id] !== undefined;
}

/** Returns what is known about a step; nothing if its document is not verified yet. */
function wordsOf(
  id: StepId,
  { keySet, timestamp, statement, releases, files, verified }: Partial<SiteProof>,
): { words?: string } {
  if (id === 'keys' && keySet !== undefined) {
    const revoked = keySet.keys.filter((key) => key.revoked !== null).length;
    return {
      words: `Version ${keySet.version}, in force until ${instantWords(keySet.expires)}. ${count(keySet.keys.length, 'key')}, ${revoked === 0 ? 'none' : countWords(revoked)} revoked.`,
    };
  }
  if (id === 'timestamp' && timestamp !== undefined)
    return {
      words: `Signed on ${instantWords(timestamp.as_of)}, and valid until ${instantWords(timestamp.expires)}.`,
    };
  if (id === 'release' && statement !== undefined)
    return {
      words: `Revision ${statement.revision}, release number ${statement.sequence}, published on ${instantWords(statement.published_at)}.`,
    };
  if (id === 'history' && releases !== undefined)
    return { words: `${count(releases, 'release')}, from the first to this one.` };
  if (id === 'files' && files !== undefined)
    return { words: `${countWords(verified ?? 0)} of ${count(files, 'file')}.` };
  return {};
}
