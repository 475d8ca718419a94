import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { Attack, VectorChange } from '../../../scripts/trust/attack-table.js';
import type { AttackTable, VectorIndex } from '../../../scripts/trust/make-vectors.js';
import { parseInstant } from '../../../schemas/dates.js';
import { sha256Hex } from '../../../schemas/digest.js';
import { withoutIndex } from '../../../schemas/paths.js';
import { parseTrustAnchor, type TrustAnchor } from '../../../schemas/trust/trust-anchor.js';
import type { ReadFile, VerifySiteOptions } from '../../../schemas/trust/verify-site.js';

const FOLDER = path.join(import.meta.dirname, '../../vectors/trust');

/** The files of a site by URL path. A page has its own path, such as `/docs`. */
export type VectorSite = ReadonlyMap<string, Uint8Array>;

export const VECTORS = readJson('vectors.json') as VectorIndex; // written by scripts/trust

export const { attacks: ATTACKS } = readJson('attacks.json') as AttackTable; // the same

/** Returns the files of a state of the vectors. */
export function loadState(name: string): VectorSite {
  const folder = path.join(FOLDER, VECTORS.states[name]?.folder ?? '');
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return new Map(
    entries
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name: file }) => {
        const whole = path.join(parentPath, file);
        const urlPath = `/${path.relative(folder, whole).split(path.sep).join('/')}`;
        return [withoutIndex(urlPath), readFileSync(whole)];
      }),
  );
}

/** Returns the files of a site as an attacker serves it. */
export function loadAttack({ base, changes }: Pick<Attack, 'base' | 'changes'>): VectorSite {
  return applyChanges(loadState(base), changes);
}

/** Returns the files of a site with some of them changed. */
export function applyChanges(site: VectorSite, changes: readonly VectorChange[]): VectorSite {
  const files = new Map(site);
  for (const change of changes) {
    if ('delete' in change) files.delete(change.delete);
    else if ('flip-byte' in change)
      files.set(change['flip-byte'], flip(site.get(change['flip-byte']), change.at));
    else if ('replace' in change)
      files.set(change.replace, found(loadState(change['with-file-of']), change.file ?? change.replace));
    else files.set(change.put, 'text' in change ? Buffer.from(change.text) : loadForged(change.forged));
  }
  return files;
}

/** Returns the contents of a forged document. */
export function loadForged(name: string): Uint8Array {
  return readFileSync(path.join(FOLDER, 'forged', name));
}

/** Returns a reader of a site that no cache is in front of. */
export function readerOf(site: VectorSite): ReadFile {
  return (urlPath, { maxBytes }) => {
    const bytes = site.get(urlPath)?.subarray(0, maxBytes + 1);
    return Promise.resolve(bytes && { bytes, isCached: false });
  };
}

/** Returns the options that verify a site as a reader with this anchor at this time. */
export function readerOptions(
  site: VectorSite,
  { anchor, now }: { readonly anchor: string; readonly now: string },
): VerifySiteOptions {
  return {
    now: () => msOf(now),
    read: readerOf(site),
    anchor: anchorOf(anchor),
    sha256: sha256Hex,
    concurrency: 4,
  };
}

export function msOf(instant: string): number {
  const ms = parseInstant(instant);
  if (ms === undefined) throw new TypeError(`not an instant: ${instant}`);
  return ms;
}

export function anchorOf(text: string): TrustAnchor {
  const anchor = parseTrustAnchor(text);
  if (anchor === undefined) throw new TypeError(`not an anchor: ${text}`);
  return anchor;
}

function flip(bytes: Uint8Array | undefined, at: number): Uint8Array {
  const copy = Uint8Array.from(bytes ?? []);
  const byte = copy[at];
  if (byte === undefined) throw new RangeError(`no byte ${at}`);
  copy[at] = byte ^ 1;
  return copy;
}

function found(site: VectorSite, urlPath: string): Uint8Array {
  const bytes = site.get(urlPath);
  if (bytes === undefined) throw new Error(`no file ${urlPath}`);
  return bytes;
}

function readJson(name: string): unknown {
  return JSON.parse(readFileSync(path.join(FOLDER, name), 'utf8'));
}
