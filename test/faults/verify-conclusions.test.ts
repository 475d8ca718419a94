import { determinismHash } from '../../generator/core/records/meta-day.js';
import { dayPath, PUBLIC_PATHS, summaryPath } from '../../schemas/paths.js';
import type { MetaDay } from '../../schemas/types.generated.js';
import { keyOfPath, readRelease } from '../fixtures/edit-store.js';
import { forgeMetaDay, forgeRelease } from '../fixtures/forge-release.js';
import { publish, useSpoiltStore } from '../fixtures/published-store.js';

const { published, store, verify, expectFault } = useSpoiltStore();

it('a forgery that changes nothing leaves the store sound, so that a fault below is the forged one', async () => {
  const day = await forgeMetaDay(store(), 'bitcoin', '2025-01-25', (same) => same);
  await forgeRelease(store(), day.files);
  expect(await verify('--deep')).toMatchObject({ code: 0, stderr: '' });
});

describe('verify finds a forged conclusion, when', () => {
  const date = '2025-01-15';

  it('the determinism hash of a meta day is not what the record gives', async () => {
    const forged = await forgeMetaDay(store(), 'bitcoin', date, withHash('0'.repeat(64)));
    await forgeRelease(store(), forged.files);
    const { code, stderr } = await verify();
    expect({ code, stderr }).toEqual({ code: 8, stderr: expect.stringContaining(`${forged.key}: `) });
    expect(stderr).toMatch(/determinism_hash is 0{64}, the record gives [0-9a-f]{64}/);
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
  ])('%s was changed and every hash recomputed: only --deep can know', async (_what, change) => {
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
    '%s says another label than the gold days give: --deep knows',
    async (path) => {
      const text = (await store().read(await keyOfPath(store(), path))).toString();
      await forgeRelease(store(), {
        [path]: text.replaceAll('"label":"indeterminate"', '"label":"congested"'),
      });
      await expectFault(await verify('--deep'), path);
    },
  );

  it('status says that a chain has more available dates than it has: --deep knows', async () => {
    const path = PUBLIC_PATHS.status;
    const text = (await store().read(await keyOfPath(store(), path))).toString();
    await forgeRelease(store(), { [path]: text.replaceAll('"available":0', '"available":32') });
    await expectFault(await verify('--deep'), path);
  });

  it('the release commits to another input than its gold days are: --deep knows', async () => {
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

it('publish says why publication is held, exits 9, and publishes nothing', async () => {
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
