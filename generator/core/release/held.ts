import { byChain, CHAIN_IDS } from '../../../schemas/catalog.js';
import { canonicalJson } from '../../../schemas/canonical-json.js';
import type { Chain, ReleaseChanges, ReleaseRecord } from '../../../schemas/types.generated.js';

/** What is on hold, with public reasons: the whole store, single chains, both or neither. */
export type Held = Pick<ReleaseRecord, 'hold' | 'holds'>;

export const NOTHING_HELD: Held = { hold: null };

/** Returns only the members of a release that say what is on hold. */
export function heldOf({ hold, holds }: Held): Held {
  return { hold, ...(holds === undefined ? {} : { holds }) };
}

/**
 * Returns what is on hold after a hold with this reason or, with `null`, an unhold: of these chains, or of the whole
 * store. A hold of the store and the holds of chains are independent of each other.
 */
export function nextHeld(current: Held, reason: string | null, chains?: readonly Chain[]): Held {
  if (chains === undefined) return { ...heldOf(current), hold: reason };
  const holds = byChain((chain) => (chains.includes(chain) ? (reason ?? undefined) : current.holds?.[chain]));
  return { hold: current.hold, ...holdsMember(holds) };
}

/** Returns the words of the command, without the program, that ends the hold of the store at an address or, if chains are given, of these chains. */
export function unholdWords(address: string, chains: readonly Chain[] = []): string[] {
  return ['unhold', ...chains.flatMap((chain) => ['--chain', chain]), '--store', address];
}

export function isSameHeld(one: Held, other: Held): boolean {
  return canonicalJson(heldOf(one)) === canonicalJson(heldOf(other));
}

/** What a release put on hold, with the reason, or released (null). Absent members did not change. */
type HeldChange = Pick<ReleaseChanges, 'hold' | 'holds'>;

/** Returns the members of a list of changes for what a release put on hold or released. */
export function toHeldChange(before: Held, after: Held): HeldChange {
  const holds = byChain((chain) => {
    const reason = after.holds?.[chain] ?? null;
    return reason === (before.holds?.[chain] ?? null) ? undefined : reason;
  });
  return {
    ...(after.hold === before.hold ? {} : { hold: after.hold }),
    ...holdsMember(holds),
  };
}

/** Returns what is on hold after a release with this change: the inverse of `toHeldChange`. */
export function applyHeldChange(before: Held, { hold = before.hold, holds: changed = {} }: HeldChange): Held {
  const holds = byChain((chain) => {
    const reason = chain in changed ? changed[chain] : before.holds?.[chain];
    return reason ?? undefined;
  });
  return { hold, ...holdsMember(holds) };
}

/** Returns the reason of the holds that a release began or ended; null if it changed none, or if they had different ones. */
export function reasonOfHeldChange(before: Held, change: HeldChange): string | null {
  const ofStore = change.hold === undefined ? [] : [change.hold ?? before.hold];
  const ofChains = CHAIN_IDS.flatMap((chain) => {
    const reason = change.holds?.[chain];
    return reason === undefined ? [] : [reason ?? before.holds?.[chain] ?? null];
  });
  const [reason = null, ...others] = new Set([...ofStore, ...ofChains]);
  return others.length === 0 ? reason : null;
}

/** Returns the member `holds`, or no member if no chain is in it. */
function holdsMember<T>(holds: Partial<Record<Chain, T>>): { readonly holds?: Partial<Record<Chain, T>> } {
  return Object.keys(holds).length === 0 ? {} : { holds };
}
