import path from 'node:path';
import { verifyStore } from '../../../generator/verify/verify-store.js';
import { readAliasSequence } from '../../../generator/state/published-state.js';
import {
  createDirectoryWorkspace,
  createS3Workspace,
  publishInProcess,
  publishTo,
  type Publication,
  type TestStore,
  type Workspace,
} from '../../support/kills/publish-scenario.js';
import { readCurrent } from '../../support/release/read-release.js';
import { createRandom } from '../../support/random/seeded.js';
import { writeSmallInput } from '../../support/release/small-input.js';
import { readCommittedDays } from '../../support/stores/store-snapshot.js';

/** Number of races of each kind in each place. */
const RACES = Number(process.env['CRD_RACES'] ?? '20');
/** Number of processes of each race. The list is repeated. */
const PROCESSES = [2, 8, 4, 6, 3, 7, 5];
const SLOW_MS = 1_200_000;
const BASE = '2025-02-01T12:00:00Z';
const NEXT = '2025-02-02T12:00:00Z';

/** Writes what is published before a race, and what the processes publish concurrently. */
async function writePublications(folder: string): Promise<{ base: Publication; rivals: Publication[] }> {
  const write = (name: string, days: number, revised?: string): Promise<string> =>
    writeSmallInput(path.join(folder, name), { days: { bitcoin: days }, ...(revised ? { revised } : {}) });
  const rivals = [
    await write('longer', 13),
    await write('revised', 12, '2025-01-04'),
    await write('both', 13, '2025-01-07'),
  ];
  return {
    base: { input: await write('base', 12), asOf: BASE },
    rivals: rivals.map((input) => ({ input, asOf: NEXT })),
  };
}

function countOf(seed: number): number {
  return PROCESSES[(seed - 1) % PROCESSES.length] ?? 2;
}

/** The exit code and the reported outcome of a process, and its report if the code is not one of a race. */
type Ending = { readonly code: number | null; readonly outcome: string; readonly report?: string };

async function race(store: TestStore, publications: readonly Publication[]): Promise<Ending[]> {
  const runs = await Promise.all(publications.map((publication) => publishTo(store, publication)));
  return runs.map(({ code, stdout }) => ({
    code,
    outcome: (JSON.parse(stdout) as { outcome: string }).outcome, // the format of --json
    ...([0, 5, 6].includes(code ?? -1) ? {} : { report: stdout }),
  }));
}

describe.each([
  ['a directory', createDirectoryWorkspace],
  ['S3', createS3Workspace],
] as const)('processes that publish to %s concurrently', (_name, createWorkspace) => {
  let workspace: Workspace;
  let publications: Awaited<ReturnType<typeof writePublications>>;
  beforeAll(async () => {
    workspace = await createWorkspace();
    publications = await writePublications(path.join(workspace.folder, 'input'));
  }, SLOW_MS);
  afterAll(() => workspace.dispose(), SLOW_MS);

  async function prepare(name: string, isFirst: boolean): Promise<TestStore> {
    const store = await workspace.stores.create(name);
    if (!isFirst) expect((await publishInProcess(store, publications.base)).code).toBe(0);
    return store;
  }

  async function expectSound({ store }: TestStore, seed: number): Promise<void> {
    const { faults } = await verifyStore(store, { deep: false });
    const current = await readCurrent(store);
    const isFresh = (await readAliasSequence(store)) === current.sequence;
    expect({ seed, faults, isFresh }).toEqual({ seed, faults: [], isFresh: true });
    expect(await readCommittedDays(store)).toBeGreaterThan(0);
  }

  it(
    'with the same input make one release, and report success unless they exit 6',
    async () => {
      for (let seed = 1; seed <= RACES; seed += 1) {
        const isFirst = seed % 2 === 0;
        const target = await prepare(`same-${seed}`, isFirst);
        const [rival] = publications.rivals;
        if (rival === undefined) throw new Error('no publication');
        const endings = await race(target, new Array<Publication>(countOf(seed)).fill(rival));
        for (const ending of endings) {
          expect([seed, ending]).toEqual([
            seed,
            ending.code === 6
              ? { code: 6, outcome: 'failed' }
              : { code: 0, outcome: expect.stringMatching(/^(published|unchanged)$/) },
          ]);
        }
        expect(endings.map(({ outcome }) => outcome)).toContain('published');
        expect((await readCurrent(target.store)).sequence).toBe(isFirst ? 1 : 2);
        await expectSound(target, seed);
      }
    },
    SLOW_MS,
  );

  it(
    'with different input make only releases that they report, and mix nothing',
    async () => {
      for (let seed = 1; seed <= RACES; seed += 1) {
        const random = createRandom(seed);
        const target = await prepare(`other-${seed}`, seed % 2 === 0);
        const { rivals } = publications;
        const drawn = Array.from(
          { length: countOf(seed) },
          () => rivals[Math.floor(random() * rivals.length)] ?? publications.base,
        );
        const endings = await race(target, drawn);
        expect([seed, endings.filter(({ code }) => ![0, 5, 6].includes(code ?? -1))]).toEqual([seed, []]);
        const published = endings.filter(({ outcome }) => outcome === 'published').length;
        const before = seed % 2 === 0 ? 0 : 1;
        const { sequence } = await readCurrent(target.store);
        expect(sequence).toBeGreaterThan(before);
        expect(sequence - before).toBeLessThanOrEqual(published);
        await expectSound(target, seed);
      }
    },
    SLOW_MS,
  );
});
