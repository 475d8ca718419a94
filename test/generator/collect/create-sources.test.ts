import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { PolicySource, SourcesPolicy } from '../../../schemas/types.generated.js';
import { createSources, type SourceContext } from '../../../generator/collect/create-sources.js';
import { describeSources } from '../../../generator/collect/policy.js';
import type { Source } from '../../../generator/sources/source.js';

const SINCE = '2023-06-15';
const OWN: PolicySource = { kind: 'files', folder: 'm', name: 'Own', licence: 'own data', resale: 'yes' };
const NODE: PolicySource = { kind: 'evm-node', endpoint_env: 'NODE_URL' };

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'sources-'));
});
afterAll(() => rm(folder, { recursive: true }));

function create(
  source: PolicySource,
  policy: Partial<SourcesPolicy> = {},
  environment: SourceContext['environment'] = {},
  machine: Partial<SourceContext> = {},
): Promise<ReadonlyMap<string, Source>> {
  const whole: SourcesPolicy = {
    schema: 'sources-policy/1',
    sources: { one: source },
    chains: { base: { source: 'one', since: SINCE } },
    ...policy,
  };
  return createSources(whole, ['base'], {
    policyFolder: folder,
    cacheFolder: folder,
    environment,
    purpose: 'collect',
    signal: AbortSignal.timeout(60_000),
    openStore: () => Promise.reject(new Error('no store is asked for')),
    ...machine,
  });
}

it('a source has the id that the policy gives it, and in sources.json its own name', async () => {
  const sources = await create({ kind: 'growthepie' });
  expect(sources.get('one')?.facts).toMatchObject({ id: 'one', name: 'growthepie' });
  expect(describeSources(sources)).toMatchObject({
    one: { name: 'growthepie', licence: 'CC BY 4.0', attribution: expect.stringContaining('growthepie') },
  });
});

it('only the sources of the chains that are collected are created', async () => {
  const sources = { one: OWN, two: NODE };
  const chains = {
    base: { source: 'one', since: SINCE },
    arbitrum: { source: 'two', since: SINCE },
  };
  expect([...(await create(OWN, { sources, chains })).keys()]).toEqual(['one']);
});

it.each(['.', 'file:.'])(
  'the relative folder %s of files begins at the folder of the policy',
  async (own) => {
    await writeFile(path.join(folder, 'base.csv'), 'date,tx_count\n2026-01-01,5\n');
    const source = (await create({ ...OWN, folder: own })).get('one');
    const { values } = (await source?.day('base', '2026-01-01', AbortSignal.timeout(60_000))) ?? {};
    expect(values).toEqual({ tx_count: '5' });
  },
);

describe('a secret endpoint is read from its variable', () => {
  it('which must be set', async () => {
    await expect(create(NODE)).rejects.toMatchObject({
      exit: 'usage',
      message: 'one: the environment variable NODE_URL, which the policy names, is not set.',
    });
  });

  it('but not for a list of the terms', async () => {
    const source = (await create(NODE, {}, {}, { purpose: 'list' })).get('one');
    expect(source?.facts).toMatchObject({ id: 'one', licence: 'own node' });
    const keyed: PolicySource = { kind: 'coinmetrics', licence: 'contract', key_env: 'KEY' };
    expect((await create(keyed, {}, {}, { purpose: 'list' })).size).toBe(1);
  });

  it('and is not shown', async () => {
    const sources = await create(NODE, {}, { NODE_URL: 'https://example.com/secret-key' });
    expect(JSON.stringify(sources.get('one')?.facts)).not.toContain('secret-key');
  });
});

describe('the engine of a policy', () => {
  // nothing listens on port 1
  const engine = { kind: 'trino', endpoint: 'http://127.0.0.1:1', catalog: 'c', database: 'd' } as const;
  const sonarx: PolicySource = { kind: 'sonarx' };

  it('is not needed before a query runs', async () => {
    expect((await create(sonarx, { engine })).get('one')?.facts.id).toBe('one');
  });

  it.each([
    ['ends a collection without it', 'collect', { name: 'GeneratorError', exit: 'usage' }],
    ['is missing only for its source in a check', 'check', { name: 'SourceError', code: 'unavailable' }],
  ] as const)('%s', async (_what, purpose, failure) => {
    const source = (await create(sonarx, { engine }, {}, { purpose })).get('one');
    const day = source?.day('base', '2026-01-01', AbortSignal.timeout(60_000));
    await expect(day).rejects.toMatchObject(failure);
  });
});

it('a node without an endpoint, or for two chains, is refused', async () => {
  await expect(create({ kind: 'evm-node' })).rejects.toMatchObject({ exit: 'usage' });
  const chains = { base: { source: 'one', since: SINCE }, ethereum: { source: 'one', since: SINCE } };
  const node: PolicySource = { kind: 'evm-node', endpoint: 'http://127.0.0.1:8545' };
  await expect(create(node, { chains })).rejects.toThrow(/one chain of/);
});

describe('a commercial policy', () => {
  const commercial = { commercial: true };

  it('refuses a source whose licence forbids that its data be sold', async () => {
    await expect(create({ ...OWN, resale: 'no' }, commercial)).rejects.toMatchObject({ exit: 'usage' });
    expect((await create({ ...OWN, resale: 'no' })).size).toBe(1);
  });

  it('takes one whose licence leaves it open only with a written statement', async () => {
    await expect(create({ ...OWN, resale: 'unknown' }, commercial)).rejects.toMatchObject({ exit: 'usage' });
    const stated: PolicySource = { ...OWN, resale: 'unknown', statement: 'Letter of 2026-08-01.' };
    expect((await create(stated, commercial)).size).toBe(1);
  });
});
