import { CHAIN_IDS, PLAN_IDS, PLANS, type PlanId } from '../../../schemas/catalog.js';
import type { Chain } from '../../../schemas/types.generated.js';
import { GatewayError } from '../problems.js';

/** A plan to buy, with the chain of a single-chain plan. */
export type Purchase = { readonly plan: PlanId; readonly chain: Chain | null };

/** Plans by id and by alias. */
const PLANS_BY_NAME: ReadonlyMap<string, PlanId> = new Map(
  PLAN_IDS.flatMap((id): [string, PlanId][] => [
    [id, id],
    [PLANS[id].alias, id],
  ]),
);

/** Parses a checkout request. @throws GatewayError 'request-malformed', with a detail that says what to fix */
export function parsePurchase({
  plan: name,
  chain,
}: {
  readonly plan?: unknown;
  readonly chain?: unknown;
}): Purchase {
  const plan = typeof name === 'string' ? PLANS_BY_NAME.get(name) : undefined;
  if (plan === undefined)
    throw malformed(`Invalid plan. Use one of ${[...PLANS_BY_NAME.keys()].join(', ')}.`);
  if (PLANS[plan].chains === 'all') {
    if (chain !== undefined && chain !== null)
      throw malformed(`${PLANS[plan].name} includes all chains. Remove chain.`);
    return { plan, chain: null };
  }
  const validChain = CHAIN_IDS.find((each) => each === chain);
  if (validChain === undefined)
    throw malformed(`${PLANS[plan].name} needs a chain. Set chain to one of ${CHAIN_IDS.join(', ')}.`);
  return { plan, chain: validChain };
}

function malformed(detail: string): GatewayError {
  return new GatewayError('request-malformed', { detail });
}
