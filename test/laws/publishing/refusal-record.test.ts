import { parseInstant } from '../../../schemas/dates.js';
import { REFUSAL_KEY } from '../../../schemas/paths.js';
import type { RefusalNote } from '../../../generator/core/release/publish-report.js';
import { findRefusals } from '../../../generator/core/release/refusal-record.js';
import { recordRefusals } from '../../../generator/commands/publish.js';
import { SILENT } from '../../../generator/run/progress.js';
import { readProductTexts } from '../../../generator/texts/product-texts.js';
import { MIN_GRACE_MS } from '../../../generator/state/gc-policy.js';
import { copyStore } from '../../../generator/upkeep/copy/copy-store.js';
import { inspectStore, type StoreStatus } from '../../../generator/upkeep/inspect-store.js';
import { StoreError, type ObjectStore } from '../../../infra/store/object-store.js';
import { rollBack, runGc } from '../../support/release/operate.js';
import { prepareSeries, publishPrepared, publishSeries } from '../../support/release/publish-series.js';
import { editSeries } from '../../support/release/random-series.js';
import { interceptStore } from '../../support/stores/intercept-store.js';
import { createMemoryStore } from '../../support/stores/memory-store.js';
import {
  createStoreWithClock,
  expectSound,
  publishDaily,
  seriesOf,
} from '../../support/stores/store-with-clock.js';

const AS_OF = '2022-01-09T00:00:00Z';
const LATER = '2022-01-09T01:00:00Z';
const restated = editSeries(seriesOf(5), 'tx_count', '2022-01-02', 12_345);
const { signal } = new AbortController();

let store: ObjectStore;
beforeEach(async () => {
  store = createMemoryStore();
  await publishSeries(store, { inputs: [seriesOf(4)], asOf: '2022-01-08T00:00:00Z' });
  await publishSeries(store, { inputs: [seriesOf(5)], asOf: '2022-01-08T06:00:00Z' });
});

/** Publishes series and records its refusals like the command. */
async function publish(
  to: ObjectStore,
  at: string,
  inputs = [restated],
  warnings: string[] = [],
): Promise<RefusalNote> {
  const prepared = await prepareSeries(to, { inputs, asOf: at });
  await publishPrepared(to, prepared, at);
  return recordRefusals(to, prepared, {
    at,
    args: ['publish'],
    dryRun: false,
    warn: (text) => warnings.push(text),
  });
}

const inspect = (from: ObjectStore): Promise<StoreStatus> =>
  inspectStore(from, {
    nowMs: parseInstant(LATER) ?? NaN,
    countsObjects: true,
    formatAccept: () => 'accept',
  });
const recorded = async (from: ObjectStore): Promise<string | undefined> =>
  Buffer.from((await from.get(REFUSAL_KEY))?.bytes ?? []).toString('utf8') || undefined;

it.each(['get', 'compareAndSwap'] as const)(
  'a record whose %s fails is a warning, and the refusal is reported as new until it can be recorded',
  async (failing) => {
    const broken = interceptStore(store, ({ name, key }, run) =>
      name === failing && key === REFUSAL_KEY
        ? Promise.reject(new StoreError('unavailable', 'no answer'))
        : run(),
    );
    for (const at of [AS_OF, LATER]) {
      const warnings: string[] = [];
      expect(await publish(broken, at, [restated], warnings)).toMatchObject({
        sameAsBefore: false,
        known: [],
      });
      expect(warnings).toEqual([
        'The record of refusals was not updated, so the next run may report a refusal as new: no answer',
      ]);
    }
    expect(await recorded(store)).toBeUndefined();
    expect(await publish(store, LATER)).toMatchObject({ sameAsBefore: false });
    expect(await publish(store, LATER)).toMatchObject({ sameAsBefore: true });
  },
);

it('of two runs at once, one records the refusal, and neither fails', async () => {
  const other = await prepareSeries(store, { inputs: [restated], asOf: AS_OF });
  const options = {
    at: AS_OF,
    args: ['publish', 'other'],
    dryRun: false,
    warn: (text: string) => expect(text).toBe(''),
  };
  const slow = interceptStore(store, async ({ name, key }, run) => {
    if (name === 'compareAndSwap' && key === REFUSAL_KEY) await recordRefusals(store, other, options);
    return run();
  });
  expect(await publish(slow, LATER)).toMatchObject({ sameAsBefore: false });
  expect(await recorded(store)).toContain('"other"');
  expect(await publish(store, LATER)).toMatchObject({
    sameAsBefore: true,
    known: [{ chain: 'arbitrum', since: AS_OF }],
  });
});

it('a run killed before it records the refusal leaves a store in which the next run records it', async () => {
  await publishPrepared(store, await prepareSeries(store, { inputs: [restated], asOf: AS_OF }), AS_OF);
  expect((await inspect(store)).refusals).toEqual([]);
  expect(await publish(store, LATER)).toMatchObject({ sameAsBefore: false });
  expect((await inspect(store)).refusals).toMatchObject([{ chain: 'arbitrum', since: LATER }]);
  await expectSound(store);
});

it('a refusal without its command is recorded if an argument has a character that is not printable', async () => {
  const prepared = await prepareSeries(store, { inputs: [restated], asOf: AS_OF });
  const args = ['publish', '--input', 'two\nlines'];
  const warn = (text: string): void => expect(text).toBe('');
  await recordRefusals(store, prepared, { at: AS_OF, args, dryRun: false, warn });
  const { refusals, next } = await inspect(store);
  expect(refusals).toMatchObject([{ chain: 'arbitrum', accept: null }]);
  expect(next).toContain('run generator plan with your input, which prints the command');
  const unwritten = interceptStore(store, ({ name }, call) => {
    expect(name).toBe('get'); // it is not written again
    return call();
  });
  await recordRefusals(unwritten, prepared, { at: LATER, args, dryRun: false, warn });
});

it('a refusal of the same dates by other code or another methodology is another one', async () => {
  const { plan, start } = await prepareSeries(store, { inputs: [restated], asOf: AS_OF });
  const record = start.state?.record;
  if (record === undefined) throw new Error('nothing is published');
  const texts = await readProductTexts();
  const { brief, methodology } = texts;
  const digests = [
    texts,
    { ...texts },
    { ...texts, brief: { ...brief, source: 'other code' } },
    { ...texts, methodology: { ...methodology, version: `${methodology.version}1` } },
  ].map(
    (each) =>
      findRefusals({ plan, inputs: [restated], record, texts: each, args: ['publish'] }).found[0]?.sha256,
  );
  expect(digests[1]).toBe(digests[0]);
  expect(new Set(digests).size).toBe(3);
});

it('a methodology that was edited without a new version is recorded once, until a run no longer refuses it', async () => {
  const prepared = await prepareSeries(store, { inputs: [seriesOf(5)], asOf: AS_OF });
  const edited = { ...prepared, plan: { chains: {}, methodologyChanged: true, lacking: [] } };
  const warn = (text: string): void => expect(text).toBe('');
  const options = { at: AS_OF, args: ['publish'], dryRun: false, warn };
  expect(await recordRefusals(store, edited, options)).toMatchObject({ sameAsBefore: false });
  expect(await recordRefusals(store, edited, { ...options, at: LATER })).toMatchObject({
    sameAsBefore: true,
    known: [{ chain: null, since: AS_OF }],
  });
  expect(await inspect(store)).toMatchObject({
    refusals: [{ chain: null, since: AS_OF, accept: null }],
    next: expect.stringContaining('give the methodology a new version'),
  });
  await publish(store, LATER, [seriesOf(5)]);
  expect((await inspect(store)).refusals).toEqual([]);
});

it('a rollback settles what was refused of the chain', async () => {
  await publish(store, AS_OF);
  await rollBack(store, { to: '2022-01-08.000001', reason: 'a bad day', asOf: LATER });
  expect(await inspect(store)).toMatchObject({ refusals: [], refusal_digest: null });
});

it('gc and copy --prune keep the record of a store, and a copy does not take it over', async () => {
  const source = createStoreWithClock();
  await publishDaily(source, 5);
  const { clock } = source;
  const at = new Date(clock.nowMs).toISOString().replace(/\.\d+Z$/, 'Z');
  await publish(source.store, at, [editSeries(seriesOf(7), 'tx_count', '2022-01-02', 12_345)]);
  const before = await recorded(source.store);
  expect(before).toContain(at);
  clock.nowMs += 200 * MIN_GRACE_MS;
  await runGc(source.store);
  expect(await recorded(source.store)).toBe(before);
  const target = createMemoryStore(() => clock.nowMs);
  const prune = { apply: true, graceMs: MIN_GRACE_MS, clock: () => 0 };
  await copyStore({ from: source.store, to: target, clock: () => 0, progress: SILENT, signal, prune });
  expect(await recorded(target)).toBeUndefined();
  await expectSound(target);
});
