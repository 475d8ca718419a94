import fc from 'fast-check';
import { inspectStore } from '../../../generator/upkeep/inspect-store.js';
import { copyStore } from '../../../generator/upkeep/copy/copy-store.js';
import { repairStore } from '../../../generator/upkeep/repair/repair-store.js';
import { GeneratorError } from '../../../generator/core/generator-error.js';
import { SILENT } from '../../../generator/run/progress.js';
import { verifyStore } from '../../../generator/verify/verify-store.js';
import type { ObjectStore } from '../../../infra/store/object-store.js';
import { canonicalJson } from '../../../schemas/canonical-json.js';
import { sha256Hex } from '../../../schemas/digest.js';
import {
  ALIASES_KEY,
  GC_KEY,
  manifestPath,
  POINTER_KEY,
  PUBLIC_PATHS,
  REFUSAL_KEY,
  releaseKey,
} from '../../../schemas/paths.js';
import type { ReleaseRecord } from '../../../schemas/types.generated.js';
import { readListed, readRelease, type StoreEditor } from '../../support/release/edit-store.js';
import { editorOf } from '../../support/release/memory-editor.js';
import { forgeRelease } from '../../support/release/forge-release.js';
import { openSmallRelease } from '../../support/release/small-release.js';
import { createMemoryStore } from '../../support/stores/memory-store.js';
import { differingKeys, snapshotStore } from '../../support/stores/store-snapshot.js';

/** A case reads whole stores, so a quarter of the seeds is drawn. */
const SEEDS = Math.ceil(Number(process.env['CRD_SEEDS'] ?? '40') / 4);
const { signal } = new AbortController();

/** Returns "damaged" for exit 8 and "sound" for exit 0. Any other end is a failure of the test. */
async function endOf(
  work: Promise<{ readonly faults?: readonly unknown[]; readonly damage?: string | null }>,
): Promise<string> {
  try {
    const { faults = [], damage = null } = await work;
    return faults.length > 0 || damage !== null ? 'damaged' : 'sound';
  } catch (error) {
    if (error instanceof GeneratorError && error.exit === 'damaged') return 'damaged';
    throw error;
  }
}

const copy = (from: ObjectStore, to: ObjectStore): Promise<string> =>
  endOf(copyStore({ from, to, clock: () => 0, progress: SILENT, signal }).then(() => ({})));
const verify = (store: ObjectStore): Promise<string> => endOf(verifyStore(store, { deep: false }));
const repair = (store: ObjectStore): Promise<string> =>
  endOf(repairStore(store, { progress: SILENT, signal }));
const inspect = (store: ObjectStore): Promise<string> =>
  endOf(inspectStore(store, { nowMs: 0, countsObjects: true, formatAccept: () => '' }));

/** Asserts that a copy from `from` is refused, and changes no byte of the target. */
async function expectUncopied(from: ObjectStore, to: ObjectStore): Promise<void> {
  const before = await snapshotStore(to);
  expect(await copy(from, to)).toBe('damaged');
  expect(differingKeys(before, await snapshotStore(to))).toEqual([]);
}

async function expectRefusedEverywhere(store: ObjectStore): Promise<void> {
  await expectUncopied(store, createMemoryStore());
  await expectUncopied(store, await openSmallRelease());
  expect([await verify(store), await repair(store)]).toEqual(['damaged', 'damaged']);
  await inspect(store);
}

/** Paths that no release has: segments that climb, are empty or encoded, and complete addresses. */
const hostilePath = (): fc.Arbitrary<string> => {
  const segment = fc.constantFrom(
    '..',
    '.',
    '',
    'evil',
    '%2e%2e',
    '%2F',
    'api',
    'v1',
    'chains',
    'docs',
    'index.html',
  );
  const climbing = fc.array(segment, { minLength: 1, maxLength: 6 }).map((parts) => `/${parts.join('/')}`);
  const fixed = fc.constantFrom(
    ...[
      '/../../x',
      '/evil',
      '//x',
      '//evil.example/x',
      '/%2e%2e/%2e%2e/x',
      '/chains/%62ase',
      '/docs/index.html',
    ],
    ...[
      'https://evil.example/docs',
      'file:///etc/passwd',
      'x',
      '/__proto__',
      '/api/v1/status?x',
      '/a\\..\\b',
    ],
  );
  return fc.oneof(fixed, climbing).filter((path) => path !== '/docs' && path !== '/');
};

type Section = 'public' | 'bundles' | 'manifests';

/** Adds a path to a section of the release, or gives it to one of the files there. */
async function forgePath(
  store: ObjectStore,
  section: Section,
  path: string,
  isAdded: boolean,
): Promise<void> {
  const editor = editorOf(store);
  const { record } = await readRelease(editor);
  const [known = '', ...others] = Object.keys(record[section]).filter(
    (each) => each !== PUBLIC_PATHS.release,
  );
  const kept = isAdded ? [known, ...others] : others;
  const entries: ReleaseRecord['public'] = record.public;
  const list = await readListed(editor, PUBLIC_PATHS.release, 'release');
  const files = [...kept, path]
    .map((each) => {
      const { sha256, bytes, type } = entries[each] ?? entries[known] ?? { sha256: '', bytes: 0, type: '' };
      return { path: each, sha256, bytes, type };
    })
    .sort((a, b) => (a.path < b.path ? -1 : 1));
  const listed = section === 'public' ? { [PUBLIC_PATHS.release]: { ...list, files } } : {};
  await forgeRelease(editor, listed, (forged) => {
    const { [known]: entry, ...rest } = forged[section] as Record<string, unknown>; // any section
    return { ...forged, [section]: { ...rest, ...(isAdded ? { [known]: entry } : {}), [path]: entry } };
  });
}

it('a path that no release has is damage for copy, verify and repair, and nothing is copied', async () => {
  const section = fc.constantFrom<Section>('public', 'bundles', 'manifests');
  await fc.assert(
    fc.asyncProperty(section, hostilePath(), fc.boolean(), async (where, path, isAdded) => {
      const store = await openSmallRelease();
      await forgePath(store, where, path, isAdded);
      await expectRefusedEverywhere(store);
    }),
    { numRuns: SEEDS, seed: 1 },
  );
}, 120_000);

it('a wrong path of a day in a manifest is damage, and nothing is copied', async () => {
  await fc.assert(
    fc.asyncProperty(hostilePath(), async (path) => {
      const store = await openSmallRelease();
      const listed = manifestPath('gold', 'base');
      const manifest = await readListed(editorOf(store), listed, 'manifest');
      const dates = manifest.dates.map((entry, i) => (i === 1 ? { ...entry, path } : entry));
      await forgeRelease(editorOf(store), { [listed]: { ...manifest, dates } });
      await expectRefusedEverywhere(store);
    }),
    { numRuns: Math.ceil(SEEDS / 2), seed: 2 },
  );
}, 120_000);

/** A change of a document after which it cannot match its schema: a drawn value replaced, a member added, text cut. */
type Mutation = { readonly kind: 'replace' | 'add' | 'cut'; readonly at: number };

function mutate(text: string, { kind, at }: Mutation): string {
  if (kind === 'cut') return text.slice(0, at % text.length);
  const document: unknown = JSON.parse(text);
  const root: Record<string, unknown> = { document };
  const places: { readonly holder: Record<string, unknown>; readonly name: string }[] = [];
  const visit = (holder: Record<string, unknown>): void => {
    for (const name of Object.keys(holder)) {
      const value = holder[name];
      const isObject = typeof value === 'object' && value !== null;
      if (kind === 'replace' || (isObject && !Array.isArray(value))) places.push({ holder, name });
      if (isObject) visit(value as Record<string, unknown>); // an array has its indexes as names
    }
  };
  visit(root);
  const { holder, name } = places[at % places.length] ?? { holder: root, name: 'document' };
  const before = holder[name];
  holder[name] = kind === 'replace' ? { hostile: [] } : { ...(before as object), hostile: null }; // an object, see above
  return canonicalJson(root['document']);
}

const mutation = (): fc.Arbitrary<Mutation> =>
  fc.record({
    kind: fc.constantFrom('replace' as const, 'add' as const, 'cut' as const),
    at: fc.nat(1_000_000),
  });

/** Mutates a document of the release that the store publishes. Digests match afterwards. */
const DOCUMENTS: Record<string, (store: StoreEditor, change: Mutation) => Promise<void>> = {
  async record(store, change) {
    const { pointer, key } = await readRelease(store);
    const text = mutate((await store.read(key)).toString(), change);
    const sha256 = sha256Hex(text);
    await store.write(releaseKey(pointer.revision, sha256), text);
    await store.write(POINTER_KEY, canonicalJson({ ...pointer, sha256 }));
  },
  async pointer(store, change) {
    await store.write(POINTER_KEY, mutate((await store.read(POINTER_KEY)).toString(), change));
  },
  async manifest(store, change) {
    const path = manifestPath('meta', 'base');
    await forgeRelease(store, {
      [path]: mutate(canonicalJson(await readListed(store, path, 'manifest')), change),
    });
  },
  async changes(store, change) {
    const path = PUBLIC_PATHS.changes;
    await forgeRelease(store, {
      [path]: mutate(canonicalJson(await readListed(store, path, 'changes')), change),
    });
  },
};

it.each(Object.entries(DOCUMENTS))(
  'a %s that does not match its schema is damage for copy, verify and repair, and nothing is copied',
  async (_name, forge) => {
    await fc.assert(
      fc.asyncProperty(mutation(), async (change) => {
        const store = await openSmallRelease();
        await forge(editorOf(store), change);
        await expectRefusedEverywhere(store);
      }),
      { numRuns: SEEDS, seed: 3 },
    );
  },
  300_000,
);

it.each([
  [ALIASES_KEY, canonicalJson({ schema: 'aliases/1', sequence: 1 }), 'sound'],
  [GC_KEY, canonicalJson({ schema: 'gc/1', running: false, heartbeat: 3, owner: 'x' }), 'damaged'],
])(
  'a %s that does not match its schema is damage for verify, and for a copy to that store, which changes nothing',
  async (key, sound, repaired) => {
    await fc.assert(
      fc.asyncProperty(mutation(), async (change) => {
        const store = await openSmallRelease();
        await editorOf(store).write(key, mutate(sound, change));
        expect(await verify(store)).toBe('damaged');
        await expectUncopied(await openSmallRelease(), store);
        expect(await repair(store)).toBe(repaired);
      }),
      { numRuns: SEEDS, seed: 4 },
    );
  },
  300_000,
);

it('a refusal.json that does not match its schema is damage for verify and status, no copy takes it over, and repair empties it', async () => {
  const sound = canonicalJson({ schema: 'refusal/1', refused: [] });
  await fc.assert(
    fc.asyncProperty(mutation(), async (change) => {
      const store = await openSmallRelease();
      await editorOf(store).write(REFUSAL_KEY, mutate(sound, change));
      expect([await verify(store), await inspect(store)]).toEqual(['damaged', 'damaged']);
      const target = createMemoryStore();
      expect([await copy(store, target), await target.get(REFUSAL_KEY)]).toEqual(['sound', undefined]);
      expect([await repair(store), await verify(store)]).toEqual(['sound', 'sound']);
    }),
    { numRuns: SEEDS, seed: 5 },
  );
}, 120_000);

it('a copy of a store that was not forged succeeds, so every refusal above is for the forgery', async () => {
  const store = await openSmallRelease();
  await forgeRelease(editorOf(store), {});
  expect([await verify(store), await copy(store, createMemoryStore())]).toEqual(['sound', 'sound']);
});
