import { AWS_FACTS, SONARX_FACTS } from '../../../generator/sources/aws/raw-tables.js';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { CHAIN_IDS, metricsOf } from '../../../schemas/catalog.js';
import type { SourcesPolicy } from '../../../schemas/types.generated.js';
import { DEFAULT_RULES, findLicenceRefusal } from '../../../generator/core/collection/collection-rules.js';
import { createGrowthepie } from '../../../generator/sources/growthepie/growthepie.js';
import {
  defaultPolicy,
  filesPolicy,
  mainMetricsOf,
  parsePolicy,
  readPolicy,
  rulesOf,
} from '../../../generator/collect/policy.js';

const POLICY: SourcesPolicy = {
  schema: 'sources-policy/1',
  sources: {
    growthepie: { kind: 'growthepie' },
    node: { kind: 'evm-node', endpoint: 'http://127.0.0.1:8545' },
  },
  chains: {
    base: {
      source: 'growthepie',
      since: '2023-06-15',
      fill: [{ source: 'node', metrics: ['block_count', 'gas_limit_mean'] }],
    },
  },
};

const parse = (policy: object): SourcesPolicy => parsePolicy('policy.json', JSON.stringify(policy));
const withBase = (change: object): object => ({
  ...POLICY,
  chains: { base: { ...POLICY.chains.base, ...change } },
});

it('a policy is read from its file, and a file that is not there is named', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'policy-'));
  const file = path.join(folder, 'sources.policy.json');
  await writeFile(file, JSON.stringify(POLICY));
  expect(await readPolicy(file)).toEqual(POLICY);
  await rm(folder, { recursive: true });
  await expect(readPolicy(file)).rejects.toMatchObject({
    exit: 'usage',
    message: `--policy ${file} cannot be read (ENOENT).`,
  });
});

describe('a policy is refused with all its faults', () => {
  it.each<[string, object, RegExp]>([
    ['an unknown member', { ...POLICY, chain: {} }, /chain/],
    [
      'a source that does not exist',
      withBase({ source: 'aws' }),
      /names the source aws, which the policy does not have/,
    ],
    ['a source twice', withBase({ check: [{ source: 'node' }] }), /names the source node twice/],
    [
      'a metric of another chain',
      withBase({ rules: { required: ['block_weight'] } }),
      /is not a metric of base/,
    ],
    ['a frozen metric of another chain', withBase({ rules: { frozen: ['issuance'] } }), /names issuance/],
    [
      'a metric from two sources',
      {
        ...withBase({
          fill: [
            { source: 'node', metrics: ['gas_used'] },
            { source: 'other', metrics: ['gas_used'] },
          ],
        }),
        sources: { ...POLICY.sources, other: { kind: 'sonarx' } },
      },
      /takes gas_used from two sources/,
    ],
  ])('for %s', (_what, policy, message) => {
    expect(() => parse(policy)).toThrow(message);
  });

  it('for text that is no JSON', () => {
    expect(() => parsePolicy('policy.json', '{')).toThrow(/^policy\.json is not a valid policy of sources:/);
  });

  it('each on a line of its own', () => {
    const wrong = withBase({ source: 'aws', rules: { required: ['block_weight'] } });
    expect(() => parse(wrong)).toThrow(/aws[^]*\n[^]*block_weight/);
  });
});

describe('the rules of a chain', () => {
  it('are the defaults', () => {
    expect(rulesOf('base')).toEqual(DEFAULT_RULES.base);
  });

  it('are changed one by one', () => {
    const { jumpFactor, ...others } = rulesOf('base', {
      deadline_hours: 14,
      blocks: [1, 2],
      frozen: ['gas_used'],
      jump_factor: { counts: 4 },
      median_factor: 3,
    });
    expect(jumpFactor).toEqual({ ...DEFAULT_RULES.base.jumpFactor, counts: 4 });
    expect(others).toMatchObject({
      deadlineHours: 14,
      blocks: [1, 2],
      frozen: ['gas_used'],
      medianFactor: 3,
      settlingDays: 7,
    });
  });
});

it('the main source gives every metric that no other fills in', () => {
  const base = POLICY.chains.base ?? { source: '', since: '' };
  const main = mainMetricsOf('base', base);
  expect([...main, 'block_count', 'gas_limit_mean'].sort()).toEqual([...metricsOf('base')].sort());
});

it.each(['aws', 'growthepie'] as const)('the default policy of %s is a policy', (kind) => {
  expect(parse(defaultPolicy(kind))).toEqual(defaultPolicy(kind));
});

it('a folder of files is a policy for the chains that it has', () => {
  const policy = filesPolicy('./metrics', ['bitcoin', 'base']);
  expect(parse(policy)).toEqual(policy);
  expect(Object.keys(policy.chains)).toEqual(['bitcoin', 'base']);
});

const RECOMMENDED = path.join(import.meta.dirname, '../../../templates/sources.policy.json');

describe('the recommended policy', () => {
  it('is valid, and collects every chain', async () => {
    expect(Object.keys((await readPolicy(RECOMMENDED)).chains)).toEqual(CHAIN_IDS);
  });

  it('asks the operator for the terms of SonarX, and for no other', async () => {
    const { commercial = false } = await readPolicy(RECOMMENDED);
    const refused = [AWS_FACTS, SONARX_FACTS, createGrowthepie().facts].filter(
      (facts) => findLicenceRefusal(facts, { commercial }) !== undefined,
    );
    expect(refused.map(({ id }) => id)).toEqual(['sonarx']);
    expect(
      findLicenceRefusal(SONARX_FACTS, { commercial, statement: 'letter of 2026-08-19' }),
    ).toBeUndefined();
  });
});
