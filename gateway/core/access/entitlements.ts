import {
  CHAIN_IDS,
  GENRES,
  PLAN_IDS,
  PLANS,
  WINDOWS,
  type PlanId,
  type PlanDefinition,
} from '../../../schemas/catalog.js';
import { toInstant } from '../../../schemas/dates.js';
import type { Chain, Entitlements, EntitlementsGrant, Window } from '../../../schemas/types.generated.js';
import type { FileRequest } from './file-request.js';

/** The access of an account from `sinceMs` until just before `untilMs`, in milliseconds since the epoch. */
export type Grant = {
  readonly plan: PlanId;
  /** The chain of a plan for a single chain. Such a plan without a chain grants no access. */
  readonly chain: Chain | null;
  readonly origin: 'manual' | 'stripe';
  readonly sinceMs: number;
  readonly untilMs: number;
};

/** The decision about a request; `detail` explains a refusal to the caller. */
export type AccessDecision =
  | { readonly allowed: true }
  | {
      readonly allowed: false;
      readonly code: 'subscription-inactive' | 'not-entitled';
      readonly detail: string;
    };

const ALLOWED: AccessDecision = { allowed: true };

/**
 * Decides whether an account with these grants can read a file at `nowMs`. One active grant that includes the file is
 * enough. An active account is told which plans include the file. No refusal reveals whether it exists.
 */
export function decide(grants: readonly Grant[], request: FileRequest, nowMs: number): AccessDecision {
  for (const grant of grants) if (isActive(grant, nowMs) && includes(grant, request)) return ALLOWED;
  const active = grants.filter((grant) => isActive(grant, nowMs));
  if (active.length === 0) {
    return { allowed: false, code: 'subscription-inactive', detail: explainInactivity(grants, nowMs) };
  }
  return { allowed: false, code: 'not-entitled', detail: explainRefusal(active, request) };
}

/** Returns whether a grant is active at `nowMs`. A purchase is active at once, even if Stripe's clock is ahead. */
export function isActive({ origin, sinceMs, untilMs }: Grant, nowMs: number): boolean {
  return (origin === 'stripe' || sinceMs <= nowMs) && nowMs < untilMs;
}

/** Explains in a sentence why no grant is active. Precondition: none is. */
export function explainInactivity(grants: readonly Grant[], nowMs: number): string {
  const ended = grants.map(({ untilMs }) => untilMs).filter((untilMs) => untilMs <= nowMs);
  const future = grants.filter(({ sinceMs, untilMs }) => nowMs < sinceMs && sinceMs < untilMs);
  if (future.length > 0) {
    return `The subscription starts at ${toInstant(Math.min(...future.map(({ sinceMs }) => sinceMs)))}.`;
  }
  return ended.length > 0
    ? `The subscription ended at ${toInstant(Math.max(...ended))}.`
    : 'The account has no active subscription.';
}

function includes({ plan, chain }: Grant, request: FileRequest): boolean {
  const definition = PLANS[plan];
  return (definition.chains === 'all' || request.chain === chain) && includesKind(definition, request);
}

/** Returns whether a plan includes a file, regardless of its chain. */
function includesKind({ windows, archive, briefs }: PlanDefinition, request: FileRequest): boolean {
  if (request.genre === 'briefs') {
    return briefs === 'all' || (request.kind === 'bundle' && request.window === 'latest');
  }
  return request.kind === 'bundle' ? windows.includes(request.window) : archive;
}

function explainRefusal(active: readonly Grant[], request: FileRequest): string {
  const has = active.map(({ plan, chain }) => namePlan(plan, chain));
  const offers = PLAN_IDS.filter((plan) => includesKind(PLANS[plan], request));
  const names = offers.map((plan) => namePlan(plan, request.chain));
  return `The account has ${[...new Set(has)].join(' and ')}. This file is part of ${names.join(' or ')}.`;
}

/** Returns the name of a plan with its chain, such as `Single Chain for base`. */
export function namePlan(plan: PlanId, chain: Chain | null): string {
  const { name, chains } = PLANS[plan];
  return chains === 'all' ? name : `${name} ${chain === null ? 'without a chain' : `for ${chain}`}`;
}

/** Returns the combined access of all grants that are active at `nowMs`. `plan`, `since` and `until` are of the highest plan. */
export function describeEntitlements(grants: readonly Grant[], nowMs: number): Entitlements {
  const active = grants.filter((grant) => isActive(grant, nowMs));
  const plans = PLAN_IDS.filter((plan) => active.some((grant) => grant.plan === plan));
  const plan = plans.at(-1) ?? null;
  const highest = active.filter((grant) => grant.plan === plan);
  const definitions: PlanDefinition[] = plans.map((plan) => PLANS[plan]);
  const windows = Object.keys(WINDOWS) as Window[]; // Object.keys loses the key type
  const hasAllBriefs = definitions.some(({ briefs }) => briefs === 'all');
  const hasAccess = active.length > 0;
  return {
    schema: 'entitlements/1',
    active: hasAccess,
    plan,
    chains: CHAIN_IDS.filter((chain) =>
      active.some((grant) => PLANS[grant.plan].chains === 'all' || grant.chain === chain),
    ),
    genres: hasAccess ? [...GENRES] : [],
    windows: windows.filter((window) => definitions.some((each) => each.windows.includes(window))),
    archive: definitions.some(({ archive }) => archive),
    briefs: hasAccess ? (hasAllBriefs ? 'all' : 'latest') : null,
    since: hasAccess ? toInstant(Math.min(...highest.map(({ sinceMs }) => sinceMs))) : null,
    until: hasAccess ? toInstant(Math.max(...highest.map(({ untilMs }) => untilMs))) : null,
    grants: active.map(describeGrant),
  };
}

function describeGrant({ plan, chain, origin, sinceMs, untilMs }: Grant): EntitlementsGrant {
  return { plan, chain, origin, since: toInstant(sinceMs), until: toInstant(untilMs) };
}
