import { planRelease } from '../../../generator/core/release/plan-release.js';
import type { ReferenceTexts } from '../../../generator/core/draft/site.js';
import { makeWheel, type PythonClient, type Wheel } from '../../../generator/core/artifacts/python-wheel.js';
import { readProductTexts } from '../../../generator/texts/product-texts.js';
import { verifyStore } from '../../../generator/verify/verify-store.js';
import type { ObjectStore } from '../../../infra/store/object-store.js';
import { parseInstant } from '../../../schemas/dates.js';
import { objectKey, publicKey, PUBLIC_PATHS, wheelPath } from '../../../schemas/paths.js';
import { isWheelPath } from '../../../schemas/release-paths.js';
import type { PublicRelease } from '../../../schemas/types.generated.js';
import { createMemoryStore } from '../../support/stores/memory-store.js';
import { rollBack, runGc } from '../../support/release/operate.js';
import { prepareSeries, publishPrepared } from '../../support/release/publish-series.js';
import { randomSeries } from '../../support/release/random-series.js';
import { readCurrent } from '../../support/release/read-release.js';

const inputs = [randomSeries({ chain: 'base', seed: 7, days: 30 })];
const AS_OF = ['2022-03-01T00:00:00Z', '2022-03-02T00:00:00Z', '2022-03-03T00:00:00Z'] as const;
const SLOW_MS = 300_000;
/** Versions that this build does not have. */
const VERSIONS = ['0.0.9', '0.0.10', '0.1.0'] as const;
const texts = await readProductTexts();

/** Returns the client with another version, and another README in which it says so. */
function clientOf(version: string): PythonClient {
  const { metadata, readme } = texts.python;
  return {
    ...texts.python,
    metadata: metadata.replace(/^Version: .*$/m, `Version: ${version}`),
    readme: `${readme}\nVersion ${version}.\n`,
  };
}

/** Returns the texts with another client, also those from which the texts of a site are made. */
function textsWith(python: PythonClient): ReferenceTexts {
  return { ...texts, python, base: { ...(texts.base ?? texts), python } };
}

/** Publishes the same input with a version of the client. */
async function publishWith(store: ObjectStore, version: string, asOf: string): Promise<void> {
  const prepared = await prepareSeries(store, { inputs, asOf });
  const plan = planRelease({
    inputs,
    inputInvalid: false,
    previous: prepared.start.state,
    asOfMs: parseInstant(asOf) ?? NaN,
    texts: textsWith(clientOf(version)),
    full: false,
    allOrNothing: false,
    lineages: [],
  });
  await publishPrepared(store, { ...prepared, plan }, asOf);
}

async function bytesOf(store: ObjectStore, key: string): Promise<Buffer> {
  return Buffer.from((await store.get(key))?.bytes ?? []);
}

/** Returns the paths of wheels in the list of public files that clients read. */
async function listedWheels(store: ObjectStore): Promise<string[]> {
  const list = (await bytesOf(store, publicKey(PUBLIC_PATHS.release))).toString('utf8');
  const { files } = JSON.parse(list) as PublicRelease; // the generator published it
  return files.map(({ path }) => path).filter(isWheelPath);
}

/** Expects exactly these wheels to be listed, with the bytes that they were first published with. */
async function expectWheels(store: ObjectStore, wheels: readonly Wheel[]): Promise<void> {
  expect((await listedWheels(store)).sort()).toEqual(wheels.map(({ name }) => wheelPath(name)).sort());
  const { public: files } = await readCurrent(store);
  for (const { name, bytes } of wheels) {
    const path = wheelPath(name);
    for (const key of [publicKey(path), objectKey(files[path]?.sha256 ?? '')])
      expect((await bytesOf(store, key)).equals(bytes)).toBe(true);
  }
}

it(
  'wheels of earlier versions stay listed and installable, also after a rollback and gc',
  async () => {
    const store = createMemoryStore();
    const wheels: Wheel[] = [];
    for (const [i, version] of VERSIONS.entries()) {
      await publishWith(store, version, AS_OF[i] ?? '');
      wheels.push(makeWheel(clientOf(version)));
      await expectWheels(store, wheels);
    }
    const { revision } = await readCurrent(store);
    await publishWith(store, VERSIONS[2], '2022-03-04T00:00:00Z');
    expect((await readCurrent(store)).revision).toBe(revision); // an unchanged client publishes nothing
    await rollBack(store, { to: '2022-03-01.000001', reason: 'a test', asOf: '2022-03-05T00:00:00Z' });
    await runGc(store);
    await expectWheels(store, [...wheels, makeWheel(texts.python)]); // a rollback publishes the client of its own build
    expect((await verifyStore(store, { deep: false })).faults).toEqual([]);
  },
  SLOW_MS,
);
