import { byChain } from '../../../schemas/catalog.js';
import { canonicalJson } from '../../../schemas/canonical-json.js';
import type { Chain, ReleaseRecord } from '../../../schemas/types.generated.js';

/** What is on hold, with public reasons: the whole store, single chains, both or neither. */
export type Held = Pick<ReleaseRecord, 'hold' | 'holds'>;

/** Returns only the members of a release that say what is on hold. */
export function heldOf({ hold, holds }: Held): Held {
  return { hold, ...(holds === undefined ? {} : { holds }) };
}

/**
 * Returns what is on hold after a hold with this reason or, with `null`, an unhold: of these chains, or of the whole
 * store. To unhold the whole store also ends the holds of chains.
 */
export function nextHeld(current: Held, reason: string | null, chains?: readonly Chain[]): Held {
  if (chains === undefined) return reason === null ? { hold: null } : { ...heldOf(current), hold: reason };
  const holds = byChain((chain) => (chains.includes(chain) ? (reason ?? undefined) : current.holds?.[chain]));
  return { hold: current.hold, ...(Object.keys(holds).length === 0 ? {} : { holds }) };
}

export function isSameHeld(one: Held, other: Held): boolean {
  return canonicalJson(heldOf(one)) === canonicalJson(heldOf(other));
}
