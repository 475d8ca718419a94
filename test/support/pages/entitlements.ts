import type { Entitlements, EntitlementsSubscription } from '../../../schemas/types.generated.js';

/** When the plans of this file began, and when they end or renew. */
export const EARLIER = '2026-08-01T00:00:00Z';
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
/** What an account without any plan may use. */
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
/** What an account with a grant of its publisher may use. */
export const GRANTED: Entitlements = {
  ...NOTHING,
  active: true,
  plan: 'research',
  until: LATER,
  grants: [{ plan: 'research', chain: null, origin: 'manual', since: EARLIER, until: LATER }],
};
/** Returns what an account may use whose subscription differs from a paid one. */
export const withSubscription = (changed: Partial<EntitlementsSubscription>): Entitlements => ({
  ...NOTHING,
  subscription: { ...BOUGHT, ...changed },
});
