import fc from 'fast-check';
import {
  decide,
  describeEntitlements,
  isActive,
  type AccessDecision,
  type Grant,
} from '../../../../gateway/core/access/entitlements.js';
import { pathOf, type FileRequest } from '../../../../gateway/core/access/file-request.js';
import { CHAIN_IDS, GENRES, PLAN_IDS, PLANS, WINDOWS } from '../../../../schemas/catalog.js';
import { toInstant } from '../../../../schemas/dates.js';
import { SCHEMAS } from '../../../../schemas/schemas.generated.js';
import type { Chain, Window } from '../../../../schemas/types.generated.js';
import { findSchemaFaults } from '../../../../schemas/validate.js';

const NOW = Date.parse('2026-08-20T12:00:00Z');
const DAY = 86_400_000;

const windows = Object.keys(WINDOWS) as Window[]; // keys of a closed literal
const requests: readonly FileRequest[] = GENRES.flatMap((genre) =>
  CHAIN_IDS.flatMap((chain): FileRequest[] => [
    ...windows.map((window): FileRequest => ({ kind: 'bundle', genre, chain, window })),
    { kind: 'manifest', genre, chain },
    { kind: 'day', genre, chain, date: '2026-08-19', revision: null },
    { kind: 'day', genre, chain, date: '2026-08-19', revision: '2026-08-20.000001' },
  ]),
);

/** The contract's table of paths: whether Single Chain includes them for its chain. Research includes all of them. */
const CONTRACT: readonly (readonly [RegExp, boolean])[] = [
  [/^\/(meta|gold|derived)\/[a-z]+\/(7d|30d|90d)\/latest\.json$/, true],
  [/^\/(meta|gold|derived)\/[a-z]+\/latest\.json$/, true],
  [/^\/briefs\/chains\/[a-z]+\/latest\.json$/, true],
  [/^\/[a-z]+\/[a-z]+\/365d\/latest\.json$/, false],
  [/^\/briefs\/[a-z]+\/(7d|30d|90d)\/latest\.json$/, false],
  [/^\/(meta|gold|derived)\/[a-z]+\/(manifest|\d{4}-\d\d-\d\d)\.json$/, false],
  [/^\/briefs\/chains\/[a-z]+\/(manifest|\d{4}-\d\d-\d\d)\.json$/, false],
];

function isInSingleChain(request: FileRequest): boolean {
  const path = pathOf(request).replace('/api/v1/files', '');
  const rows = CONTRACT.filter(([pattern]) => pattern.test(path));
  if (rows.length !== 1) throw new Error(`${rows.length} rows of the contract for ${path}`);
  return rows[0]?.[1] ?? false;
}

const STATES: readonly (readonly [name: string, sinceMs: number, untilMs: number, active: boolean])[] = [
  ['active', NOW - DAY, NOW + DAY, true],
  ['in its first millisecond', NOW, NOW + DAY, true],
  ['in its last millisecond', NOW - DAY, NOW + 1, true],
  ['to start in a millisecond', NOW + 1, NOW + DAY, false],
  ['ended this millisecond', NOW - DAY, NOW, false],
  ['ended before it began', NOW + DAY, NOW - DAY, false],
  ['invalid', Number.NaN, Number.NaN, false],
];

type Bought = Pick<Grant, 'plan' | 'chain'>;
const BOUGHT: readonly Bought[] = [
  ...CHAIN_IDS.map((chain): Bought => ({ plan: 'single-chain', chain })),
  { plan: 'research', chain: null },
];
const grants = STATES.flatMap(([, sinceMs, untilMs, active]) =>
  BOUGHT.map((bought) => ({
    grant: { ...bought, sinceMs, untilMs, origin: 'manual' } satisfies Grant,
    active,
  })),
);
type Case = (typeof grants)[number];

/** Decides by the contract, independently of the code. */
function expectedOf(
  held: readonly Case[],
  request: FileRequest,
): 'allowed' | Exclude<AccessDecision, { allowed: true }>['code'] {
  const active = held.filter((each) => each.active).map(({ grant }) => grant);
  if (active.length === 0) return 'subscription-inactive';
  if (active.some(({ plan }) => plan === 'research')) return 'allowed';
  return active.some(({ chain }) => chain === request.chain) && isInSingleChain(request)
    ? 'allowed'
    : 'not-entitled';
}

/** Returns the requests whose decision differs from the contract. */
function differences(accountGrants: readonly Case[]): unknown[] {
  const plainGrants = accountGrants.map(({ grant }) => grant);
  return requests.flatMap((request) => {
    const decision = decide(plainGrants, request, NOW);
    const decided = decision.allowed ? 'allowed' : decision.code;
    return decided === expectedOf(accountGrants, request) ? [] : [{ plainGrants, request, decision }];
  });
}

describe('decide', () => {
  it('agrees with the contract for every path and an account without a grant', () => {
    expect(requests).toHaveLength(4 * 4 * 8);
    expect(differences([])).toEqual([]);
  });

  it.each(STATES)(
    'agrees with the contract for every plan and chain with a grant that is %s',
    (_name, sinceMs, untilMs) => {
      const cases = grants.filter(
        ({ grant }) => Object.is(grant.sinceMs, sinceMs) && Object.is(grant.untilMs, untilMs),
      );
      expect(cases.flatMap((each) => differences([each]))).toEqual([]);
    },
  );

  it('agrees with the contract for any two grants', () => {
    expect(grants.flatMap((one) => grants.flatMap((other) => differences([one, other])))).toEqual([]);
  });

  it('grants nothing for a Single Chain plan without a chain', () => {
    const [, sinceMs, untilMs] = STATES[0] ?? ['', 0, 0];
    const grant: Grant = { plan: 'single-chain', chain: null, origin: 'stripe', sinceMs, untilMs };
    for (const request of requests) {
      expect(decide([grant], request, NOW)).toMatchObject({ allowed: false, code: 'not-entitled' });
    }
  });

  it('agrees with the contract at any instant, for grants of any origin in any order', () => {
    const grant = fc.record<Grant>({
      plan: fc.constantFrom(...PLAN_IDS),
      chain: fc.option(fc.constantFrom(...CHAIN_IDS)),
      origin: fc.constantFrom('manual', 'stripe'),
      sinceMs: fc.integer({ min: NOW - 5, max: NOW + 5 }),
      untilMs: fc.integer({ min: NOW - 5, max: NOW + 5 }),
    });
    const instant = fc.oneof(fc.integer({ min: NOW - 6, max: NOW + 6 }), fc.double());
    fc.assert(
      fc.property(fc.array(grant), fc.constantFrom(...requests), instant, (accountGrants, request, nowMs) => {
        const decision = decide(accountGrants, request, nowMs);
        expect(decide([...accountGrants].reverse(), request, nowMs)).toMatchObject({
          allowed: decision.allowed,
        });
        expect(decision.allowed).toBe(accountGrants.some((each) => decide([each], request, nowMs).allowed));
      }),
    );
  });
});

describe('decide, when it refuses', () => {
  const active = (plan: Grant['plan'], chain: Chain | null): Grant => ({
    plan,
    chain,
    origin: 'manual',
    sinceMs: NOW - DAY,
    untilMs: NOW + DAY,
  });
  const manifest: FileRequest = { kind: 'manifest', genre: 'gold', chain: 'base' };
  const bundle: FileRequest = { kind: 'bundle', genre: 'gold', chain: 'ethereum', window: '30d' };

  it.each<[string, Grant[], FileRequest, string]>([
    [
      'that the higher plan includes the archive',
      [active('single-chain', 'base')],
      manifest,
      'The account has Single Chain for base. This file is part of Research.',
    ],
    [
      'which plans include another chain, and which chain the account has',
      [active('single-chain', 'base')],
      bundle,
      'The account has Single Chain for base. This file is part of Single Chain for ethereum or Research.',
    ],
    [
      'every plan of the account once',
      [active('single-chain', 'base'), active('single-chain', 'bitcoin'), active('single-chain', 'base')],
      bundle,
      'The account has Single Chain for base and Single Chain for bitcoin. This file is part of Single Chain for ethereum or Research.',
    ],
    [
      'that the chain is missing',
      [active('single-chain', null)],
      manifest,
      'The account has Single Chain without a chain. This file is part of Research.',
    ],
    ['that there is no subscription', [], manifest, 'The account has no active subscription.'],
    [
      'when the last subscription ended',
      [
        { ...active('research', null), untilMs: NOW - 2 * DAY },
        { ...active('single-chain', 'base'), untilMs: NOW - DAY },
      ],
      manifest,
      'The subscription ended at 2026-08-19T12:00:00Z.',
    ],
    [
      'when the next subscription starts',
      [
        { ...active('research', null), untilMs: NOW - DAY },
        { ...active('single-chain', 'base'), sinceMs: NOW + DAY, untilMs: NOW + 2 * DAY },
      ],
      manifest,
      'The subscription starts at 2026-08-21T12:00:00Z.',
    ],
  ])('explains %s', (_what, accountGrants, request, detail) => {
    expect(decide(accountGrants, request, NOW)).toMatchObject({ allowed: false, detail });
  });
});

describe('describeEntitlements', () => {
  it('returns a valid document that agrees with every decision, for any two grants', () => {
    const pairs = grants.flatMap((one) => grants.map((other) => [one.grant, other.grant]));
    const wrong = pairs.filter((accountGrants) => {
      const described = describeEntitlements(accountGrants, NOW);
      const isDescribed = (request: FileRequest): boolean => {
        if (!described.chains.includes(request.chain) || !described.genres.includes(request.genre))
          return false;
        if (request.genre === 'briefs' && described.briefs === 'latest') {
          return request.kind === 'bundle' && request.window === 'latest';
        }
        return request.kind === 'bundle' ? described.windows.includes(request.window) : described.archive;
      };
      const agrees = requests.every(
        (request) => decide(accountGrants, request, NOW).allowed === isDescribed(request),
      );
      return !agrees || described.active !== accountGrants.some((each) => isActive(each, NOW));
    });
    expect(wrong).toEqual([]);
    // Every seventh pair, as a sample.
    for (const accountGrants of pairs.filter((_, i) => i % 7 === 0)) {
      expect(findSchemaFaults('entitlements', describeEntitlements(accountGrants, NOW))).toEqual([]);
    }
  });

  it('spans the active grants of the named plan, from the first start to the last end', () => {
    const [sinceMs, untilMs] = [NOW - 3 * DAY, NOW + 5 * DAY];
    const accountGrants: Grant[] = [
      { plan: 'single-chain', chain: 'base', origin: 'manual', sinceMs: 0, untilMs: NOW + 100 * DAY },
      { plan: 'research', chain: null, origin: 'stripe', sinceMs, untilMs: NOW + DAY },
      { plan: 'research', chain: null, origin: 'manual', sinceMs: NOW - DAY, untilMs },
      { plan: 'single-chain', chain: 'bitcoin', origin: 'stripe', sinceMs: 0, untilMs: NOW },
    ];
    expect(describeEntitlements(accountGrants, NOW)).toMatchObject({
      active: true,
      plan: 'research',
      since: toInstant(sinceMs),
      until: toInstant(untilMs),
      grants: [
        { plan: 'single-chain', chain: 'base', origin: 'manual' },
        { plan: 'research', chain: null, origin: 'stripe' },
        { plan: 'research', chain: null, origin: 'manual' },
      ],
    });
  });

  it('returns an empty document without an active grant', () => {
    expect(describeEntitlements([], NOW)).toEqual({
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
    });
  });
});

it('covers the plans and genres of the schemas', () => {
  expect(SCHEMAS.account.$defs.plan.enum).toEqual(PLAN_IDS);
  expect(SCHEMAS.common.$defs.genre.enum).toEqual(GENRES);
  expect(Object.values(PLANS).map(({ name }) => name)).toEqual(['Single Chain', 'Research']);
});
