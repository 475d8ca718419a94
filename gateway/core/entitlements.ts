import {
  CHAIN_IDS,
  GENRES,
  PLAN_IDS,
  PLANS,
  WINDOWS,
  type PlanId,
  type PlanTerms,
} from '../../schemas/catalog.js';
import { toInstant } from '../../schemas/dates.js';
import type { Chain, Entitlements, EntitlementsGrant, Window } from '../../schemas/types.generated.js';
import type { FileRequest } from './file-request.js';

/** What an account may read for a time: from `sinceMs` on, until just before `untilMs`, since the epoch. */
export type Grant = {
  readonly plan: PlanId;
  /** The chain of a plan for one chain; such a plan without a chain gives nothing. */
  readonly chain: Chain | null;
  readonly origin: 'manual' | 'stripe';
  readonly sinceMs: number;
  readonly untilMs: number;
};

/** Whether a request may be answered, and if not, why; `detail` is a sentence for the caller. */
export type Decision =
  | { readonly allowed: true }
  | {
      readonly allowed: false;
      readonly code: 'subscription-inactive' | 'not-entitled';
      readonly detail: string;
    };

const ALLOWED: Decision = { allowed: true };

/**
 * Decides whether an account with these grants may read what is asked for at `nowMs`: one active grant that gives it is
 * enough. Pure and total; the reason names the plan that would do, and nothing of whether the file exists.
 */
export function decide(grants: readonly Grant[], request: FileRequest, nowMs: number): Decision {
  for (const grant of grants) if (isActive(grant, nowMs) && gives(grant, request)) return ALLOWED;
  const active = grants.filter((grant) => isActive(grant, nowMs));
  if (active.length === 0) {
    return { allowed: false, code: 'subscription-inactive', detail: explainInactivity(grants, nowMs) };
  }
  return { allowed: false, code: 'not-entitled', detail: explainRefusal(active, request) };
}

/** Whether a grant gives access at `nowMs`; what was bought has begun, whatever our clock says beside Stripe's. */
export function isActive({ origin, sinceMs, untilMs }: Grant, nowMs: number): boolean {
  return (origin === 'stripe' || sinceMs <= nowMs) && nowMs < untilMs;
}

/** Why no grant is active, in a sentence for the account's owner. Precondition: none is. */
export function explainInactivity(grants: readonly Grant[], nowMs: number): string {
  const ended = grants.map(({ untilMs }) => untilMs).filter((untilMs) => untilMs <= nowMs);
  const coming = grants.filter(({ sinceMs, untilMs }) => nowMs < sinceMs && sinceMs < untilMs);
  if (coming.length > 0) {
    return `the subscription begins at ${toInstant(Math.min(...coming.map(({ sinceMs }) => sinceMs)))}`;
  }
  return ended.length > 0
    ? `the subscription ended at ${toInstant(Math.max(...ended))}`
    : 'the account has no active subscription';
}

function gives({ plan, chain }: Grant, request: FileRequest): boolean {
  const terms = PLANS[plan];
  return (terms.chains === 'all' || request.chain === chain) && covers(terms, request);
}

/** Whether a plan's terms give a file of some chain. */
function covers({ windows, archive, briefs }: PlanTerms, request: FileRequest): boolean {
  if (request.genre === 'briefs') {
    return briefs === 'all' || (request.kind === 'bundle' && request.window === 'latest');
  }
  return request.kind === 'bundle' ? windows.includes(request.window) : archive;
}

function explainRefusal(active: readonly Grant[], request: FileRequest): string {
  const has = active.map(({ plan, chain }) => namePlan(plan, chain));
  const would = PLAN_IDS.filter((plan) => covers(PLANS[plan], request));
  const offers = would.map((plan) => namePlan(plan, request.chain));
  return `the account has ${[...new Set(has)].join(' and ')}; this file is part of ${offers.join(' or ')}`;
}

/** How a person calls a plan, with its chain. */
export function namePlan(plan: PlanId, chain: Chain | null): string {
  const { name, chains } = PLANS[plan];
  return chains === 'all' ? name : `${name} ${chain === null ? 'without a chain' : `for ${chain}`}`;
}

/** What all the grants that are active at `nowMs` give together. */
export function describeEntitlements(grants: readonly Grant[], nowMs: number): Entitlements {
  const active = grants.filter((grant) => isActive(grant, nowMs));
  const plans = PLAN_IDS.filter((plan) => active.some((grant) => grant.plan === plan));
  const plan = plans.at(-1) ?? null;
  const best = active.filter((grant) => grant.plan === plan);
  const terms: PlanTerms[] = plans.map((plan) => PLANS[plan]);
  const windows = Object.keys(WINDOWS) as Window[]; // keys of a closed literal
  const hasAllBriefs = terms.some(({ briefs }) => briefs === 'all');
  const isAny = active.length > 0;
  return {
    schema: 'entitlements/1',
    active: isAny,
    plan,
    chains: CHAIN_IDS.filter((chain) =>
      active.some((grant) => PLANS[grant.plan].chains === 'all' || grant.chain === chain),
    ),
    genres: isAny ? [...GENRES] : [],
    windows: windows.filter((window) => terms.some((each) => each.windows.includes(window))),
    archive: terms.some(({ archive }) => archive),
    briefs: isAny ? (hasAllBriefs ? 'all' : 'latest') : null,
    since: isAny ? toInstant(Math.min(...best.map(({ sinceMs }) => sinceMs))) : null,
    until: isAny ? toInstant(Math.max(...best.map(({ untilMs }) => untilMs))) : null,
    grants: active.map(describeGrant),
  };
}

function describeGrant({ plan, chain, origin, sinceMs, untilMs }: Grant): EntitlementsGrant {
  return { plan, chain, origin, since: toInstant(sinceMs), until: toInstant(untilMs) };
}
