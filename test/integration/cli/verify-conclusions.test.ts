import { determinismHash } from '../../../generator/core/records/day-writers.js';
import { chainPagePath, dayPath, PUBLIC_PATHS, summaryPath } from '../../../schemas/paths.js';
import type { MetaDay, ReleaseRecord } from '../../../schemas/types.generated.js';
import { keyOfPath, readRelease } from '../../support/release/edit-store.js';
import { forgeMetaDay, forgeRelease } from '../../support/release/forge-release.js';
import { publish, useDamagedStore } from '../../support/release/published-store.js';

const { published, store, verify, expectFault } = useDamagedStore();

it('a forgery without a change leaves the store sound, so every fault below is the forged one', async () => {
  const day = await forgeMetaDay(store(), 'bitcoin', '2025-01-25', (same) => same);
  await forgeRelease(store(), day.files);
  expect(await verify('--deep')).toMatchObject({ code: 0, stderr: '' });
});

describe('verify finds a forged conclusion when', () => {
  const date = '2025-01-15';

  it('the determinism hash of a meta day does not match the record', async () => {
    const forged = await forgeMetaDay(store(), 'bitcoin', date, withHash('0'.repeat(64)));
    await forgeRelease(store(), forged.files);
    const { code, stderr } = await verify();
    expect({ code, stderr }).toEqual({ code: 8, stderr: expect.stringContaining(`${forged.key}: `) });
    expect(stderr).toMatch(/determinism_hash is 0{64}, but the hash of the record is [0-9a-f]{64}/);
  });

  it('a label was changed and the old determinism hash kept', async () => {
    const forged = await forgeMetaDay(store(), 'bitcoin', date, withLabel);
    await forgeRelease(store(), forged.files);
    const { code, stderr } = await verify();
    expect({ code, stderr }).toEqual({
      code: 8,
      stderr: expect.stringMatching(`${forged.key}: .*determinism_hash`),
    });
  });

  it.each<[string, (day: MetaDay) => MetaDay]>([
    ['a label', withLabel],
    ['a confidence', (day) => ({ ...day, confidence: { ...day.confidence, completeness: 0.123456 } })],
    ['the hash of the inputs', (day) => ({ ...day, inputs_sha256: 'f'.repeat(64) })],
  ])('%s was changed and every hash recomputed: only --deep can find it', async (_what, change) => {
    const forged = await forgeMetaDay(store(), 'bitcoin', date, (day) => rehash(change(day)));
    await forgeRelease(store(), forged.files);
    expect(await verify()).toMatchObject({ code: 0, stderr: '' });
    const { code, stderr } = await verify('--deep');
    expect({ code, stderr }).toEqual({
      code: 8,
      stderr: expect.stringContaining(dayPath('meta', 'bitcoin', date)),
    });
  });

  it.each([summaryPath('bitcoin'), PUBLIC_PATHS.landing])(
    'the label in %s does not follow from the gold days: --deep finds it',
    async (path) => {
      const text = (await store().read(await keyOfPath(store(), path))).toString();
      await forgeRelease(store(), {
        [path]: text.replaceAll('"label":"indeterminate"', '"label":"congested"'),
      });
      await expectFault(await verify('--deep'), path);
    },
  );

  it('status counts more available dates than there are: --deep finds it', async () => {
    const path = PUBLIC_PATHS.status;
    const text = (await store().read(await keyOfPath(store(), path))).toString();
    await forgeRelease(store(), { [path]: text.replaceAll('"available":0', '"available":32') });
    await expectFault(await verify('--deep'), path);
  });

  it('the input digest of the release does not match its gold days: --deep finds it', async () => {
    await forgeRelease(store(), {}, ({ chains: { bitcoin, ...chains }, ...record }) => ({
      ...record,
      chains: bitcoin ? { ...chains, bitcoin: { ...bitcoin, input_sha256: 'f'.repeat(64) } } : chains,
    }));
    expect(await verify('--deep')).toMatchObject({
      code: 8,
      stderr: expect.stringMatching(/input_sha256 of bitcoin/),
    });
  });
});

/** Returns a change of a record: arbitrum is on hold or not, and was written by this build or by another one. */
const asArbitrum =
  (isHeld: boolean, isOwn: boolean) =>
  ({ chains: { arbitrum, ...chains }, ...record }: ReleaseRecord): ReleaseRecord => ({
    ...record,
    ...(isHeld ? { holds: { arbitrum: 'a source changes' } } : {}),
    chains: {
      ...chains,
      ...(arbitrum && { arbitrum: isOwn ? arbitrum : { ...arbitrum, writers_sha256: 'f'.repeat(64) } }),
    },
  });

it.each([
  ['finds another wording of a page', false, false, true],
  ['finds it when another build wrote the chain', false, true, true],
  ['finds it when the chain is on hold', true, false, true],
  ['accepts it when another build wrote the chain and it is on hold since', true, true, false],
])('--deep %s', async (_what, isHeld, isForeign, isFound) => {
  const path = chainPagePath('arbitrum');
  const text = (await store().read(await keyOfPath(store(), path))).toString();
  await forgeRelease(store(), { [path]: text.replace('<h1', '<h1 ') }, asArbitrum(isHeld, !isForeign));
  const { stderr } = await verify('--deep');
  expect(stderr.includes(`: ${path}: differs`)).toBe(isFound);
});

it('publish exits 9 with the reason of the hold, and publishes nothing', async () => {
  await forgeRelease(store(), {}, (record) => ({ ...record, hold: 'the source is being examined' }));
  const before = await readRelease(store());
  const run = await publish(published().input, published().root, '2025-02-03T00:00:00Z');
  expect(run).toMatchObject({
    code: 9,
    stdout: '',
    stderr: expect.stringContaining('the source is being examined'),
  });
  expect(await readRelease(store())).toEqual(before);
});

function withLabel(day: MetaDay): MetaDay {
  return { ...day, regime: { ...day.regime, label: 'congested' } };
}

function withHash(determinism_hash: string): (day: MetaDay) => MetaDay {
  return (day) => ({ ...day, regime: { ...day.regime, determinism_hash } });
}

function rehash(day: MetaDay): MetaDay {
  return withHash(determinismHash(day))(day);
}
