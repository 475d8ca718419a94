import path from 'node:path';
import {
  ALIASES_KEY,
  bundlePath,
  manifestPath,
  objectKey,
  PUBLIC_PATHS,
  publicKey,
  releaseKey,
  summaryPath,
} from '../../../schemas/paths.js';
import type { Genre, ReleaseRecord } from '../../../schemas/types.generated.js';
import { openStore } from '../../../infra/store/open-store.js';
import {
  createStoreEditor,
  flipBit,
  keyOfPath,
  readDocument,
  readListed,
  readRelease,
} from '../../support/release/edit-store.js';
import { runInProcess, type GeneratorRun } from '../../support/process/generator-run.js';
import { RESTATED, useDamagedStore } from '../../support/release/published-store.js';
import { metricsCsv, writeInput, writeSmallInput } from '../../support/release/small-input.js';
import { differingKeys, snapshotStore, type StoreSnapshot } from '../../support/stores/store-snapshot.js';

const { published, store, verify } = useDamagedStore();

let sound: StoreSnapshot;
const snapshot = async (root = published().root): Promise<StoreSnapshot> =>
  snapshotStore(await openStore(`file:${root}`));
beforeAll(async () => {
  sound = await snapshot();
});

const repair = (...options: string[]): Promise<GeneratorRun> =>
  runInProcess(['repair', '--store', `file:${published().root}`, ...options]);
/** The inputs of the second and of the first release. */
const current = (): string => published().input;
const earlier = (): string => path.join(path.dirname(published().input), 'first');

/** Asserts that the store has its published bytes again and verifies. */
async function expectRepaired(): Promise<void> {
  expect(differingKeys(sound, await snapshot())).toEqual([]);
  expect(await verify()).toMatchObject({ code: 0 });
}

async function dayKey(genre: Genre, date: string, superseded = false): Promise<string> {
  const manifest = await readListed(store(), manifestPath(genre, 'bitcoin'), 'manifest');
  const entry = manifest.dates.find((each) => each.date === date);
  const version = superseded ? entry?.superseded[0] : entry;
  if (version === undefined) throw new Error(`no ${genre} file of ${date}`);
  return objectKey(version.sha256);
}

async function previousRecord(): Promise<{ readonly key: string; readonly record: ReleaseRecord }> {
  const { previous } = (await readRelease(store())).record;
  if (previous === null) throw new Error('there is no earlier release');
  const key = releaseKey(previous.revision, previous.sha256);
  return { key, record: await readDocument(store(), key, 'release-record') };
}

/** Returns the key of a file of the first release that the second release replaced. */
async function oldKey(urlPath: string): Promise<string> {
  const { record } = await previousRecord();
  const entry = record.public[urlPath] ?? record.bundles[urlPath] ?? record.manifests[urlPath];
  const key = objectKey(entry?.sha256 ?? '');
  if (key === (await keyOfPath(store(), urlPath))) throw new Error(`${urlPath} did not change`);
  return key;
}

describe('repair of a sound store', () => {
  it('changes nothing, and reports it', async () => {
    for (const options of [[], ['--input', current()]]) {
      const { code, stdout, stderr } = await repair('--json', ...options);
      expect({ code, stderr, ...JSON.parse(stdout) }).toEqual({
        code: 0,
        stderr: '',
        outcome: 'sound',
        revision: '2025-02-02.000001',
        sequence: 2,
        pointer: 'kept',
        restored: [],
        aliases: { objects: 0, bytes: 0 },
        faults: [],
        candidate: null,
        remedy: null,
      });
    }
    expect(differingKeys(sound, await snapshot())).toEqual([]);
  });

  it('keeps objects that no release needs', async () => {
    const key = objectKey('0'.repeat(64));
    await store().write(key, 'an orphan');
    expect(await repair('--input', current())).toMatchObject({ code: 0 });
    expect((await store().read(key)).toString()).toBe('an orphan');
  });
});

describe('repair without an input', () => {
  it('rewrites every public copy that does not match the release, and aliases.json', async () => {
    await store().write(publicKey(summaryPath('bitcoin')), 'corrupt');
    await store().remove(publicKey(PUBLIC_PATHS.status));
    for (const aliases of ['{"schema":"aliases/1","sequence":1}', 'corrupt']) {
      await store().write(ALIASES_KEY, aliases);
      expect(await repair()).toMatchObject({ code: 0, stdout: expect.stringMatching(/^repaired: /) });
      await expectRepaired();
    }
  });

  it('repairs the copies, names the lost objects, exits 8, and asks for an input', async () => {
    const key = await keyOfPath(store(), bundlePath('gold', 'bitcoin', '7d'));
    await flipBit(store(), key);
    await store().remove(publicKey(PUBLIC_PATHS.landing));
    const { code, stdout, stderr } = await repair('--json');
    expect({ code, ...JSON.parse(stdout) }).toMatchObject({
      code: 8,
      outcome: 'damaged',
      restored: [],
      aliases: { objects: 1 },
      faults: [{ key }],
      remedy: expect.stringContaining('run again with --input DIR'),
    });
    expect(stderr).toContain(`${key}: `);
    expect(differingKeys(sound, await snapshot())).toEqual([key]);
  });
});

describe('repair with the input of the release restores, after a flipped bit,', () => {
  it.each<[string, () => Promise<string>]>([
    ['a meta day', () => dayKey('meta', '2025-01-01')],
    ['a manifest', () => keyOfPath(store(), manifestPath('gold', 'bitcoin'))],
    ['the glossary, which the first release created', () => keyOfPath(store(), PUBLIC_PATHS.glossary)],
    ['the release record', async () => (await readRelease(store())).key],
  ])('%s', async (_name, find) => {
    const key = await find();
    await flipBit(store(), key);
    const { code, stdout } = await repair('--input', current(), '--json');
    expect({ code, ...JSON.parse(stdout) }).toMatchObject({ code: 0, outcome: 'repaired', restored: [key] });
    await expectRepaired();
  });
});

describe('repair with the input of an earlier release restores, after a flipped bit,', () => {
  it.each<[string, () => Promise<string>]>([
    ['a superseded gold day', () => dayKey('gold', RESTATED, true)],
    ['a manifest of an earlier release', () => oldKey(manifestPath('meta', 'bitcoin'))],
    ['the record of an earlier release', async () => (await previousRecord()).key],
  ])('%s', async (_name, find) => {
    const key = await find();
    await flipBit(store(), key);
    const withCurrent = await repair('--input', current(), '--json');
    expect({ code: withCurrent.code, ...JSON.parse(withCurrent.stdout) }).toMatchObject({
      code: 8,
      restored: [],
      remedy: expect.stringMatching(
        /use the input as it was when they were published, or restore a backup with "generator copy/,
      ),
    });
    expect(withCurrent.stderr).toContain(`${key}: `);
    expect(await repair('--input', earlier())).toMatchObject({ code: 0 });
    await expectRepaired();
  });
});

it('repair fixes many faults at once, and those that only appear after others are fixed', async () => {
  const keys = [
    (await readRelease(store())).key,
    await keyOfPath(store(), manifestPath('meta', 'bitcoin')),
    await dayKey('meta', '2025-01-05'),
    await dayKey('gold', '2025-01-05'),
    await keyOfPath(store(), bundlePath('meta', 'bitcoin', '365d')),
    await keyOfPath(store(), PUBLIC_PATHS.status),
  ];
  for (const key of keys) await store().remove(key);
  await store().remove(publicKey(summaryPath('arbitrum')));
  const { code, stdout } = await repair('--input', current(), '--json');
  expect({ code, ...JSON.parse(stdout) }).toMatchObject({
    code: 0,
    outcome: 'repaired',
    restored: keys.sort(),
    aliases: { objects: 1 },
  });
  await expectRepaired();
});

it('repair restores nothing from an input that yields other bytes', async () => {
  const key = await dayKey('gold', '2025-01-10');
  const other = await writeSmallInput(path.join(path.dirname(current()), 'revised'), {
    days: { bitcoin: 32, arbitrum: 9 },
    revised: '2025-01-10',
  });
  await store().remove(key);
  const { code, stdout, stderr } = await repair('--input', other);
  expect({ code, stdout }).toEqual({ code: 8, stdout: expect.stringContaining('; 0 objects restored') });
  expect(stderr).toMatch(/^1 fault remains: /m);
  expect(differingKeys(sound, await snapshot())).toEqual([key]);
});

it('repair uses the valid part of an input, and reports the faults of the rest', async () => {
  const key = await keyOfPath(store(), bundlePath('gold', 'arbitrum', '7d'));
  const folder = await writeInput(path.join(path.dirname(current()), 'half'), {
    'arbitrum.csv': metricsCsv('arbitrum', 9),
    'bitcoin.csv': 'date,tx_count\n2025-01-01,no number\n',
    'sources.json': JSON.stringify({
      arbitrum: [{ name: 'Sample', licence: 'CC0' }],
      bitcoin: [{ name: 'Sample', licence: 'CC0' }],
    }),
  });
  await store().remove(key);
  const run = await repair('--input', folder);
  expect(run).toMatchObject({ code: 0, stderr: expect.stringContaining('bitcoin.csv:2:2: ') });
  await expectRepaired();
});

describe('repair after a rollback', () => {
  const asOf = ['--as-of', '2025-02-02T13:00:00Z'];

  it('restores the files and the record of its release', async () => {
    const command = ['rollback', '--to', '2025-02-01.000001', '--reason', 'a bad day', ...asOf];
    const root = await published().copy();
    const address = ['--store', `file:${root}`];
    expect(await runInProcess([...command, ...address])).toMatchObject({ code: 0 });
    const before = await snapshot(root);
    const editor = createStoreEditor(root);
    const { key, record } = await readRelease(editor);
    const ofRelease = [record.public, record.bundles, record.manifests]
      .flatMap((section) => Object.values(section))
      .filter(({ revision }) => revision === record.revision);
    expect(ofRelease.length).toBeGreaterThan(3);
    for (const { sha256 } of ofRelease) await editor.remove(objectKey(sha256));
    expect(await runInProcess(['repair', ...address, '--input', current()])).toMatchObject({ code: 0 });
    expect(differingKeys(before, await snapshot(root))).toEqual([]);
    await flipBit(editor, key);
    expect(await runInProcess(['repair', ...address, '--input', current()])).toMatchObject({ code: 0 });
    expect(differingKeys(before, await snapshot(root))).toEqual([]);
  });
});

it.each([
  [['--input', '/nowhere'], 2, '--input /nowhere cannot be read'],
  [['--pointer', 'yesterday'], 2, 'Write a revision'],
  [['--pointer', '2025-02-02.000001/abc'], 2, 'REVISION/SHA-256'],
])('repair %j exits %i', async (options, code, says) => {
  expect(await repair(...options)).toMatchObject({ code, stderr: expect.stringContaining(says) });
});
