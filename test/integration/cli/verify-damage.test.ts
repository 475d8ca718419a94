import { readdir } from 'node:fs/promises';
import { GENRES } from '../../../schemas/catalog.js';
import {
  ALIASES_KEY,
  bundlePath,
  calendarPath,
  manifestPath,
  objectKey,
  POINTER_KEY,
  PUBLIC_PATHS,
  publicKey,
  releaseKey,
  summaryPath,
} from '../../../schemas/paths.js';
import type { Genre } from '../../../schemas/types.generated.js';
import {
  createStoreEditor,
  flipBit,
  keyOfPath,
  readDocument,
  readListed,
  readRelease,
  swapKeys,
} from '../../support/release/edit-store.js';
import { runInProcess, type GeneratorRun } from '../../support/process/generator-run.js';
import { publish, RESTATED, useDamagedStore } from '../../support/release/published-store.js';

const { published, store, verify } = useDamagedStore();

/** Returns the key of the file of a date, either in force or superseded. */
async function dayKey(genre: Genre, date: string, superseded = false): Promise<string> {
  const manifest = await readListed(store(), manifestPath(genre, 'bitcoin'), 'manifest');
  const entry = manifest.dates.find((each) => each.date === date);
  const version = superseded ? entry?.superseded[0] : entry;
  if (version === undefined) throw new Error(`no ${genre} file of ${date}`);
  return objectKey(version.sha256);
}

async function previousKey(): Promise<string> {
  const { previous } = (await readRelease(store())).record;
  return previous ? releaseKey(previous.revision, previous.sha256) : '';
}

describe('verify', () => {
  it('finds no fault in a sound store, and counts what it has read', async () => {
    expect(await verify()).toMatchObject({ code: 0, stderr: '' });
    const { stdout } = await verify('--json');
    expect(JSON.parse(stdout)).toMatchObject({ sequence: 2, releases: 2, deep: false, faults: [] });
    const inForce = GENRES.length * (32 + 9);
    const superseded = 1 + 3 * 12; // the gold day; of each other genre, at most the days from the restated 20 to 31 January
    expect(JSON.parse(stdout).days).toBeGreaterThan(inForce + 1);
    expect(JSON.parse(stdout).days).toBeLessThanOrEqual(inForce + superseded);
  });

  it('finds no fault in a sound store when it recomputes every file from the gold days', async () => {
    expect(await verify('--deep')).toMatchObject({ code: 0, stderr: '' });
  });

  it('adds and removes no file, regardless of what it finds', async () => {
    await flipBit(store(), await dayKey('gold', '2025-01-20'));
    const before = await readdir(published().root, { recursive: true });
    await verify('--deep');
    expect(await readdir(published().root, { recursive: true })).toEqual(before);
  });

  it('ignores objects that no release needs', async () => {
    await store().write(objectKey('0'.repeat(64)), 'an orphan');
    expect(await verify()).toMatchObject({ code: 0 });
  });

  it('exits 0 with a note while public copies lag, because the next run refreshes them', async () => {
    const { record } = await readRelease(store());
    const before = await readDocument(
      store(),
      releaseKey(record.previous?.revision ?? '', record.previous?.sha256 ?? ''),
      'release-record',
    );
    const key = publicKey(PUBLIC_PATHS.landing);
    await store().write(ALIASES_KEY, '{"schema":"aliases/1","sequence":1}');
    await store().write(
      key,
      await store().read(objectKey(before.public[PUBLIC_PATHS.landing]?.sha256 ?? '')),
    );
    expect(await verify()).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^verified /),
      stderr: expect.stringMatching(/^the public copies lag \(2 keys; --json lists them\)/),
    });
    const { stdout } = await verify('--json');
    expect(JSON.parse(stdout)).toMatchObject({ faults: [], lagging: [{ key: ALIASES_KEY }, { key }] });
  });
});

describe('verify exits 8 with the key after a flipped bit in', () => {
  it.each<[string, () => Promise<string>]>([
    ['a meta day', () => dayKey('meta', '2025-01-01')],
    ['a gold day', () => dayKey('gold', '2025-01-29')],
    ['a derived day', () => dayKey('derived', '2025-02-01')],
    ['a superseded gold day', () => dayKey('gold', RESTATED, true)],
    ['a superseded meta day', () => dayKey('meta', RESTATED, true)],
    ['a bundle', () => keyOfPath(store(), bundlePath('meta', 'arbitrum', '30d'))],
    ['the bundle of the latest date', () => keyOfPath(store(), bundlePath('gold', 'bitcoin', 'latest'))],
    ['a manifest', () => keyOfPath(store(), manifestPath('derived', 'bitcoin'))],
    ['a public document', () => keyOfPath(store(), PUBLIC_PATHS.glossary)],
    ['a public text', () => keyOfPath(store(), calendarPath('bitcoin'))],
    ['the release record', async () => (await readRelease(store())).key],
    ['the record of the previous release', previousKey],
    ['the pointer', () => Promise.resolve(POINTER_KEY)],
    ['the public copy of a summary', () => Promise.resolve(publicKey(summaryPath('bitcoin')))],
    ['the public copy of a calendar', () => Promise.resolve(publicKey(calendarPath('arbitrum')))],
    ['aliases.json', () => Promise.resolve(ALIASES_KEY)],
  ])('%s', async (_what, find) => {
    const key = await find();
    await flipBit(store(), key);
    expectNamed(await verify(), key);
  });

  it('a byte in any part of a manifest, even if it is still JSON', async () => {
    const key = await keyOfPath(store(), manifestPath('gold', 'bitcoin'));
    const sound = await store().read(key);
    const members = ['dates', 'genre'].map((name) => sound.indexOf(`"${name}"`) + 1);
    const spread = [0.3, 0.7].map((part) => Math.floor(sound.length * part));
    const ends: string[] = [];
    for (const offset of [...members, ...spread]) {
      await flipBit(store(), key, offset);
      const { code, stderr } = await verify();
      ends.push(`byte ${offset}: exit ${code}, ${stderr.includes(`${key}: `) ? 'named' : 'not named'}`);
      await store().undo();
    }
    expect(ends).toEqual([...members, ...spread].map((offset) => `byte ${offset}: exit 8, named`));
  });
});

describe('verify exits 8 with the key when', () => {
  it.each<[string, () => Promise<string>]>([
    ['a day file', () => dayKey('meta', '2025-01-30')],
    ['a superseded day file', () => dayKey('derived', RESTATED, true)],
    ['a bundle', () => keyOfPath(store(), bundlePath('derived', 'arbitrum', '365d'))],
    ['a manifest', () => keyOfPath(store(), manifestPath('gold', 'arbitrum'))],
    ['a public artifact', () => keyOfPath(store(), PUBLIC_PATHS.landing)],
    ['the release record', async () => (await readRelease(store())).key],
    ['the record of the previous release', previousKey],
    ['the pointer', () => Promise.resolve(POINTER_KEY)],
    ['a public copy', () => Promise.resolve(publicKey(PUBLIC_PATHS.status))],
    ['aliases.json', () => Promise.resolve(ALIASES_KEY)],
  ])('%s is missing', async (_what, find) => {
    const key = await find();
    await store().remove(key);
    expectNamed(await verify(), key);
  });

  it('two objects are swapped', async () => {
    const [one, other] = [await dayKey('gold', '2025-01-10'), await dayKey('gold', '2025-01-11')];
    await swapKeys(store(), one, other);
    expectNamed(await verify(), one, other);
  });

  it('two public copies are swapped', async () => {
    const [one, other] = [publicKey(summaryPath('bitcoin')), publicKey(summaryPath('arbitrum'))];
    await swapKeys(store(), one, other);
    expectNamed(await verify(), one, other);
  });

  it('a public copy differs from the release', async () => {
    const key = publicKey(summaryPath('bitcoin'));
    await store().write(key, (await store().read(key)).toString().replace('indeterminate', 'congested'));
    expectNamed(await verify(), key);
  });

  it('the pointer names a missing record', async () => {
    const pointer = await readDocument(store(), POINTER_KEY, 'pointer');
    await store().write(POINTER_KEY, JSON.stringify({ ...pointer, sha256: 'f'.repeat(64) }));
    expectNamed(await verify(), releaseKey(pointer.revision, 'f'.repeat(64)));
  });

  it.each([{ sequence: 3 }, { sequence: 1 }])('the pointer and its record disagree: %j', async (wrong) => {
    const pointer = await readDocument(store(), POINTER_KEY, 'pointer');
    await store().write(POINTER_KEY, JSON.stringify({ ...pointer, ...wrong }));
    expectNamed(await verify(), POINTER_KEY);
  });

  it('the pointer was reset to an earlier release', async () => {
    const { pointer, record } = await readRelease(store());
    await store().write(POINTER_KEY, JSON.stringify({ ...pointer, ...record.previous, sequence: 1 }));
    expectNamed(await verify(), publicKey(PUBLIC_PATHS.status));
  });

  it('a stored document is not JSON', async () => {
    for (const key of [POINTER_KEY, ALIASES_KEY]) {
      const sound = await store().read(key);
      await store().write(key, '');
      expectNamed(await verify(), key);
      await store().write(key, sound);
    }
  });

  it('there are many faults: it lists them all', async () => {
    const keys = [
      await dayKey('gold', '2025-01-10'),
      await dayKey('meta', '2025-01-28'),
      await keyOfPath(store(), bundlePath('gold', 'arbitrum', '7d')),
    ];
    for (const key of keys) await flipBit(store(), key);
    await store().remove(publicKey(PUBLIC_PATHS.changes));
    keys.push(publicKey(PUBLIC_PATHS.changes));
    expectNamed(await verify(), ...keys);
    const { code, stdout } = await verify('--json');
    const listed: { key: string }[] = JSON.parse(stdout).faults;
    expect(code).toBe(8);
    expect(listed.map(({ key }) => key)).toEqual(expect.arrayContaining(keys));
  });
});

describe('publish to a damaged store', () => {
  const asOf = '2025-02-03T00:00:00Z';

  it.each<[string, () => Promise<string>, string[]]>([
    ['the pointer is missing', () => Promise.resolve(POINTER_KEY), []],
    ['the release record is missing', async () => (await readRelease(store())).key, []],
    [
      'a manifest is missing that it needs',
      () => keyOfPath(store(), manifestPath('meta', 'bitcoin')),
      ['--full'],
    ],
  ])('exits 8 and writes nothing when %s', async (_what, find, options) => {
    const key = await find();
    await store().remove(key);
    const before = await readdir(published().root, { recursive: true });
    const run = await publish(published().input, published().root, asOf, ...options);
    expect(run).toMatchObject({ code: 8, stdout: '' });
    expect(run.stderr).toContain(key);
    expect(run.stderr).toContain('Run "generator verify"');
    expect(await readdir(published().root, { recursive: true })).toEqual(before);
  });

  it('repairs damaged public copies if aliases.json is missing', async () => {
    const root = await published().copy();
    const corrupt = createStoreEditor(root);
    await corrupt.write(publicKey(summaryPath('bitcoin')), 'corrupt');
    await corrupt.remove(ALIASES_KEY);
    expect(await publish(published().input, root, asOf)).toMatchObject({ code: 0 });
    expect(await runInProcess(['verify', '--store', `file:${root}`])).toMatchObject({ code: 0 });
  });
});

/** Asserts that the run found damage and named each key at the start of a line. */
function expectNamed({ code, stderr, stdout }: GeneratorRun, ...keys: string[]): void {
  const named = keys.filter((key) => stderr.split('\n').some((line) => line.startsWith(`${key}: `)));
  expect({ code, stdout, named, stderr }).toEqual({ code: 8, stdout: '', named: keys, stderr });
  expect(stderr).toMatch(
    /verification failed: \d+ faults?\nTo restore what can be restored:\n {2}generator repair --store \S+\n$/,
  );
}
