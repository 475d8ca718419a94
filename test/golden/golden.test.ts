import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { canonicalJson } from '../../schemas/canonical-json.js';
import { CHAIN_IDS, LABEL_MEANINGS } from '../../schemas/catalog.js';
import { sha256Hex } from '../../schemas/digest.js';
import {
  calendarPath,
  dayPath,
  GC_KEY,
  objectKey,
  OBJECTS_PREFIX,
  PAGE_PATHS,
  publicKey,
  releaseKey,
  RELEASES_PREFIX,
} from '../../schemas/paths.js';
import type { Chain, MetaDay, SiteFiles } from '../../schemas/types.generated.js';
import type { ObjectStore } from '../../infra/store/object-store.js';
import { createStoreEditor } from '../support/release/edit-store.js';
import { forgeMetaDay, forgeRelease } from '../support/release/forge-release.js';
import { runAsProcess } from '../support/process/generator-run.js';
import { createRandom } from '../support/random/seeded.js';
import { pick } from '../support/random/seeded.js';
import { createTemporaryFolder, type TemporaryFolder } from '../support/process/temporary-folder.js';
import { committedFiles, currentPaths, kindOf, SAMPLES } from './committed-files.js';
import { GOLDEN, MISSING_ROW, publishGolden } from './scenario.js';
import {
  digestStore,
  formatDigests,
  listDifferences,
  nameKeys,
  parseDigests,
  readStore,
  type StoreContents,
} from './store-digests.js';

const release = path.join(GOLDEN, 'release');
const hint = 'if the change is intended, run "npm run golden" and say why in the commit';
const committed = await readFile(path.join(release, 'digests.txt'), 'utf8');
let folder: TemporaryFolder;
let store: ObjectStore;
let contents: StoreContents;

beforeAll(async () => {
  folder = await createTemporaryFolder();
  store = await publishGolden(folder.path);
  contents = await readStore(store);
}, 300_000);
afterAll(() => folder.dispose());

/** Returns the differences between a store and the committed digests. */
function differencesOf(changed: StoreContents): string[] {
  return listDifferences(digestStore(changed), parseDigests(committed));
}

function bytesOf(key: string): Buffer {
  return Buffer.from(contents.get(key) ?? []);
}

/** Returns the rows of a chain's calendar, the header first. */
function calendarOf(chain: Chain): string[][] {
  const text = bytesOf(publicKey(calendarPath(chain))).toString('utf8');
  return text
    .trimEnd()
    .split('\n')
    .map((row) => row.split(','));
}

/** Returns the different cells of a column in all calendars. */
function cellsOfColumn(column: string): Set<string> {
  const cells = CHAIN_IDS.flatMap((chain) => {
    const [header = [], ...rows] = calendarOf(chain);
    return rows.map((row) => row[header.indexOf(column)] ?? '');
  });
  return new Set(cells);
}

describe('the golden release', () => {
  it('is what the drawn input produces, byte for byte', () => {
    const differing = differencesOf(contents);
    expect({ differing: differing.slice(0, 25), count: differing.length, hint }).toEqual({
      differing: [],
      count: 0,
      hint,
    });
    expect(formatDigests(digestStore(contents))).toBe(committed);
  });

  it('has the committed records, state files and samples, byte for byte', async () => {
    const files = committedFiles(contents);
    for (const [name, bytes] of files) {
      const text = await readFile(path.join(release, 'files', name), 'utf8');
      expect(Buffer.from(bytes).toString('utf8')).toBe(text);
    }
    const found = await readdir(path.join(release, 'files'), { recursive: true, withFileTypes: true });
    const names = found
      .filter((each) => each.isFile())
      .map((each) => path.relative(path.join(release, 'files'), path.join(each.parentPath, each.name)));
    expect(names.sort()).toEqual([...files.keys()].sort());
  });

  it('has one committed sample of each kind of artifact that is not of the site', () => {
    const { files } = JSON.parse(bytesOf(publicKey(PAGE_PATHS.siteFiles)).toString('utf8')) as SiteFiles; // valid
    const kinds = [...currentPaths(contents).keys()].filter((each) => files[each] === undefined).map(kindOf);
    const sampled = SAMPLES.map(kindOf);
    expect([...new Set(kinds)].filter((kind) => !sampled.includes(kind))).toEqual([]);
    expect(sampled).toEqual([...new Set(sampled)]);
  });

  it('is sound, and can be recomputed from its gold days', async () => {
    const run = await runAsProcess(['verify', '--deep', '--quiet', '--store', store.address]);
    expect(run).toMatchObject({ code: 0, stderr: '' });
  }, 300_000);

  it('has at least 500 days of each chain, every label, status and confidence level', () => {
    for (const chain of CHAIN_IDS) expect(calendarOf(chain).length).toBeGreaterThan(500);
    expect([...cellsOfColumn('regime')].sort()).toEqual(Object.keys(LABEL_MEANINGS).sort());
    expect([...cellsOfColumn('status')].sort()).toEqual(['available', 'degraded', 'missing']);
    const scores = [...cellsOfColumn('confidence')].map(Number).filter((score) => score > 0);
    expect(scores.some((score) => score >= 0.9)).toBe(true);
    expect(scores.some((score) => score >= 0.7 && score < 0.9)).toBe(true);
    expect(scores.some((score) => score < 0.7)).toBe(true);
  });

  it('has a gap, a restatement, and a chain that the second input lacks', async () => {
    const changes = JSON.parse(await readFile(path.join(release, 'files/public/api/v1/changes'), 'utf8'));
    expect(changes.releases[0].chains.ethereum.restated.days).toBeGreaterThan(20);
    expect(changes.releases[0].reason).toBe('upstream corrected one day of ethereum');
    expect(Object.keys(changes.releases[0].chains).sort()).toEqual(['arbitrum', 'bitcoin', 'ethereum']);
    const landing = JSON.parse(await readFile(path.join(release, 'files/public/api/v1/landing'), 'utf8'));
    expect(Object.keys(landing.chains).sort()).toEqual(['arbitrum', 'base', 'bitcoin', 'ethereum']);
    const gap = calendarOf('bitcoin').find(([date]) => date === MISSING_ROW);
    expect(gap).toContain('missing');
  });
});

it('has in each row of a calendar the determinism hash of the meta record with its date and revision', () => {
  const paths = currentPaths(contents);
  for (const chain of CHAIN_IDS) {
    const [header = [], ...rows] = calendarOf(chain);
    const [date, revision, hash] = ['date', 'published_revision', 'determinism_hash'].map((name) =>
      header.indexOf(name),
    );
    const found = rows.map((row) => {
      const record = bytesOf(objectKey(paths.get(dayPath('meta', chain, row[date ?? 0] ?? '')) ?? ''));
      return determinismOf(JSON.parse(record.toString('utf8')) as MetaDay);
    });
    expect(rows.map((row) => [row[date ?? 0], row[revision ?? 0], row[hash ?? 0]])).toEqual(found);
  }
});

/** Returns the date, revision and hash of a record. The hash is computed here, as methodology v1, section 9, says. */
function determinismOf(record: MetaDay): string[] {
  const { published_revision: revision, updated_through: _through, regime, ...rest } = record;
  const { determinism_hash: hash, ...conclusions } = regime;
  expect(hash).toBe(sha256Hex(canonicalJson({ ...rest, regime: conclusions })));
  return [record.date, revision, hash];
}

describe('the check of the golden release', () => {
  /** Returns the name of each key in the list of digests. */
  function namesByKey(): Map<string, string> {
    const pairs = [...nameKeys(contents)].flatMap(([name, keys]) =>
      [...keys].map((key): [string, string] => [key, name]),
    );
    return new Map(pairs);
  }

  /** Returns the keys of one artifact of each kind, of everything that is no artifact, and of 60 random artifacts. */
  function chosenKeys(): string[] {
    const byKind = new Map([...currentPaths(contents)].map(([urlPath, sha256]) => [kindOf(urlPath), sha256]));
    const keys = [...contents.keys()];
    const artifacts = keys.filter((key) => key.startsWith(OBJECTS_PREFIX));
    const random = createRandom(11);
    return [
      ...[...byKind.values()].map(objectKey),
      ...keys.filter((key) => !key.startsWith(OBJECTS_PREFIX)),
      ...Array.from({ length: 60 }, () => pick(artifacts, random)),
    ];
  }

  /** Returns the golden store with other bytes under some keys; `undefined` removes a key. */
  function withBytes(changes: readonly (readonly [string, Uint8Array | undefined])[]): StoreContents {
    const changed = new Map(contents);
    for (const [key, bytes] of changes) {
      if (bytes === undefined) changed.delete(key);
      else changed.set(key, bytes);
    }
    return changed;
  }

  function flipBit(bytes: Buffer, random: () => number): Buffer {
    const at = Math.floor(random() * bytes.length);
    bytes[at] = (bytes[at] ?? 0) ^ (1 << Math.floor(random() * 8));
    return bytes;
  }

  const random = createRandom(12);
  it.each<[string, (bytes: Buffer) => Buffer | undefined]>([
    ['has one bit flipped', (bytes) => flipBit(bytes, random)],
    ['has one more byte', (bytes) => Buffer.concat([bytes, Buffer.from('\n')])],
    ['is missing', () => undefined],
  ])(
    'fails and names the path when any file %s',
    (_change, change) => {
      const names = namesByKey();
      for (const key of chosenKeys()) {
        const differing = differencesOf(withBytes([[key, change(bytesOf(key))]]));
        const name = names.get(key) ?? '';
        expect(
          [`changed: ${name}`, `missing: ${name}`].filter((line) => differing.includes(line)),
        ).toHaveLength(1);
      }
    },
    300_000,
  );

  it('fails and names both paths when two files are exchanged', () => {
    const names = namesByKey();
    const keys = chosenKeys();
    const pairs = keys.slice(1).map((key, i) => [keys[i] ?? '', key] as const);
    for (const [one, other] of pairs.filter(([a, b]) => !bytesOf(a).equals(bytesOf(b)))) {
      const differing = differencesOf(
        withBytes([
          [one, bytesOf(other)],
          [other, bytesOf(one)],
        ]),
      );
      for (const key of [one, other]) {
        const name = names.get(key) ?? ''; // missing: a day whose manifest is the other one of the two
        const lines = [`changed: ${name}`, `missing: ${name}`];
        expect(lines.filter((line) => differing.includes(line))).toHaveLength(1);
      }
    }
  }, 300_000);

  it('fails and names the key when there is one file more', () => {
    const [record = ''] = [...contents.keys()].filter((key) => key.startsWith(RELEASES_PREFIX));
    const another = canonicalJson({ ...JSON.parse(bytesOf(record).toString('utf8')), sequence: 9 });
    for (const [key, text] of [
      [objectKey(sha256Hex('{}')), '{}'],
      [objectKey('0'.repeat(64)), bytesOf(record).toString('utf8')],
      [publicKey('/problems/unknown'), ''],
      [releaseKey('2023-06-16.000001', sha256Hex(another)), another],
      [GC_KEY, '{}'],
      ['notes.txt', ''],
    ] as const) {
      expect(differencesOf(withBytes([[key, Buffer.from(text)]]))).toEqual([`added: ${key}`]);
    }
  });

  it('fails and names the month when a release is rewritten with digests that agree', async () => {
    const editor = createStoreEditor(folder.path);
    const { files } = await forgeMetaDay(editor, 'ethereum', '2023-02-03', (day) => ({
      ...day,
      confidence: { ...day.confidence, score: 0.123 },
    }));
    await forgeRelease(editor, files);
    const differing = differencesOf(await readStore(store));
    await editor.undo();
    expect(differing[0]).toBe(`changed: /api/v1/files/meta/ethereum/2023-02 2023-06-16.000001`);
    expect(differing).toContain('changed: current.json');
  });
});
