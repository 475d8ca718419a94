import { TRUST_PATHS } from '../../schemas/paths.js';
import { UNPROVEN, type TrustFault } from '../../schemas/trust/trust-error.js';
import type { VectorState } from './vector-states.js';

/** A change of the files of a site, by URL path. */
export type VectorChange =
  | { readonly delete: string }
  /** Inverts the lowest bit of the byte at an offset. */
  | { readonly 'flip-byte': string; readonly at: number }
  | { readonly put: string; readonly text: string }
  /** Puts a file of the folder `forged`. */
  | { readonly put: string; readonly forged: string }
  /** Puts the file that a state has at the same path, or at `file`. */
  | { readonly replace: string; readonly 'with-file-of': string; readonly file?: string };

/** What a reader remembers of an earlier visit. */
type SeenState = {
  readonly sequence: number;
  readonly sha256: string;
  readonly key_set_version: number;
};

/** A site as an attacker serves it, and what a verifier says about it. */
export type Attack = {
  readonly name: string;
  readonly base: string;
  readonly now: string;
  readonly anchor: string;
  /** Of an earlier visit; `null` if the reader keeps none. */
  readonly seen: SeenState | null;
  /** Who can detect it: a reader of the public files, or only a subscriber, who reads day files too. */
  readonly reader: 'public' | 'subscriber';
  readonly changes: readonly VectorChange[];
  /** The code of the fault; `null` if the site must be accepted. */
  readonly fault: TrustFault | null;
  /** The exit code of a program: 8 if something is false, 7 if nothing is proven, 0 if the site is accepted. */
  readonly exit: 0 | 7 | 8;
};

/** A row before the defaults of its state are filled in. `seen` is the state of the earlier visit. */
export type AttackPlan = {
  readonly name: string;
  readonly base?: string;
  readonly now?: string;
  readonly anchor?: string;
  readonly seen?: string;
  readonly reader?: 'subscriber';
  readonly changes?: readonly VectorChange[];
  readonly fault: TrustFault | null;
};

/** Returns a row of the table. Its state is release 3, at the state's own time, unless the plan says otherwise. */
export function toAttack(plan: AttackPlan, stateOf: (name: string) => VectorState): Attack {
  const { name, base = 'release-3', changes = [], reader = 'public', fault } = plan;
  const state = stateOf(base);
  return {
    name,
    base,
    now: plan.now ?? state.now,
    anchor: plan.anchor ?? state.anchor,
    seen: plan.seen === undefined ? null : seenAt(stateOf(plan.seen)),
    reader,
    changes,
    fault,
    exit: exitOf(fault),
  };
}

/** Returns what a reader remembers after it has verified a state. */
function seenAt({ documents }: VectorState): SeenState {
  const { sequence, sha256 } = documents.timestamp;
  return { sequence, sha256, key_set_version: documents['key-set'].version };
}

function exitOf(fault: TrustFault | null): Attack['exit'] {
  if (fault === null) return 0;
  return UNPROVEN.has(fault) ? 7 : 8;
}

export const put = (path: string, forged: string): VectorChange => ({ put: path, forged });
/** An attack that puts a forged document: its name, the document, the forged file and the fault. */
export type ForgedDocument = readonly [string, keyof typeof TRUST_PATHS, string, TrustFault];

export function toPlan([name, document, forged, fault]: ForgedDocument): AttackPlan {
  return { name, changes: [put(TRUST_PATHS[document], forged)], fault };
}

export const putTimestamp = (forged: string): VectorChange => put(TRUST_PATHS.timestamp, forged);
export const putStatement = (forged: string): VectorChange => put(TRUST_PATHS.statement, forged);
export const replace = (path: string, state: string, file?: string): VectorChange => ({
  replace: path,
  'with-file-of': state,
  ...(file !== undefined && { file }),
});

/** The parts of a compact JWS. */
type JwsPart = 'payload' | 'signature';

/** Flips a byte of a signed document so that it stays Base64url, and its payload stays JSON with the same root key. */
export function flipJws(path: string, { files }: VectorState, part: JwsPart): VectorChange {
  const text = String(files.get(path));
  const [header = '', payload = ''] = text.split('.');
  const start = header.length + 1 + (part === 'signature' ? payload.length + 1 : 0);
  for (let at = start + 20; at < text.length; at += 1) {
    const flipped = flip(text, at);
    if (/[\w-]/.test(flipped[at] ?? '') && rootOf(flipped) === rootOf(text) && rootOf(text) !== undefined)
      return { 'flip-byte': path, at };
  }
  throw new Error(`no byte of ${path} can be flipped`);
}

/** Flips the byte of a file where a text begins. */
export function flipText(path: string, { files }: VectorState, text: string): VectorChange {
  const at = Buffer.from(files.get(path) ?? []).indexOf(text);
  if (at < 0) throw new Error(`${path} does not contain ${text}`);
  return { 'flip-byte': path, at };
}

function flip(text: string, at: number): string {
  return text.slice(0, at) + String.fromCharCode(text.charCodeAt(at) ^ 1) + text.slice(at + 1);
}

/** Returns the root key in the payload as a text, "null" if there is none; `undefined` if the payload is not JSON. */
function rootOf(text: string): string | undefined {
  try {
    const payload = Buffer.from(text.split('.')[1] ?? '', 'base64url').toString();
    const { root = null } = JSON.parse(payload) as { root?: unknown };
    return JSON.stringify(root);
  } catch {
    return undefined;
  }
}
