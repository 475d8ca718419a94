import { CHAIN_IDS, PLAN_IDS, PLANS, type PlanId } from '../../../schemas/catalog.js';
import type { Chain } from '../../../schemas/types.generated.js';
import { GatewayError } from '../problems.js';

/** What somebody wants to buy. */
export type Purchase = { readonly plan: PlanId; readonly chain: Chain | null };

/** Every name by which a plan may be bought. */
const PLANS_BY_NAME: ReadonlyMap<string, PlanId> = new Map(
  PLAN_IDS.flatMap((id): [string, PlanId][] => [
    [id, id],
    [PLANS[id].alias, id],
  ]),
);

/** The purchase that the members of a body ask for. @throws GatewayError 'request-malformed' saying what is wrong. */
export function parsePurchase({
  plan: name,
  chain,
}: {
  readonly plan?: unknown;
  readonly chain?: unknown;
}): Purchase {
  const plan = typeof name === 'string' ? PLANS_BY_NAME.get(name) : undefined;
  if (plan === undefined) throw malformed(`plan is one of ${[...PLANS_BY_NAME.keys()].join(', ')}`);
  if (PLANS[plan].chains === 'all') {
    if (chain !== undefined && chain !== null)
      throw malformed(`${PLANS[plan].name} is for all chains; leave chain away`);
    return { plan, chain: null };
  }
  const known = CHAIN_IDS.find((each) => each === chain);
  if (known === undefined) throw malformed(`${PLANS[plan].name} needs chain, one of ${CHAIN_IDS.join(', ')}`);
  return { plan, chain: known };
}

function malformed(detail: string): GatewayError {
  return new GatewayError('request-malformed', { detail });
}
