import type { Entitlements, EntitlementsSubscription } from '../../../schemas/types.generated.js';

/** Start of the plans in this file. */
export const EARLIER = '2026-08-01T00:00:00Z';
/** End or renewal of the plans in this file. */
export const LATER = '2026-09-20T12:00:00Z';

/** A subscription that is paid. */
export const BOUGHT: EntitlementsSubscription = {
  state: 'active',
  outcome: 'granted',
  plan: 'single-chain',
  chain: 'base',
  since: EARLIER,
  period_end: LATER,
  cancel_at: null,
  access_until: LATER,
};
/** Entitlements of an account without a plan. */
export const NOTHING: Entitlements = {
  schema: 'entitlements/1',
  active: false,
  plan: null,
  chains: [],
  genres: [],
  windows: [],
  archive: false,
  briefs: null,
  since: null,
  until: null,
  grants: [],
  subscription: null,
};
/** Entitlements of an account with a manual grant. */
export const GRANTED: Entitlements = {
  ...NOTHING,
  active: true,
  plan: 'research',
  until: LATER,
  grants: [{ plan: 'research', chain: null, origin: 'manual', since: EARLIER, until: LATER }],
};
/** Returns the entitlements of an account without access whose subscription is `BOUGHT` with changes. */
export const withSubscription = (changed: Partial<EntitlementsSubscription>): Entitlements => ({
  ...NOTHING,
  subscription: { ...BOUGHT, ...changed },
});
