import path from 'node:path';
import { verifyStore } from '../../generator/io/verify-store.js';
import { readAliasSequence } from '../../generator/io/published-state.js';
import {
  placeInDirectory,
  placeInS3,
  publishTo,
  type Ground,
  type Place,
  type Publication,
} from '../fixtures/kill-scenes.js';
import { readCurrent } from '../fixtures/operate.js';
import { createRandom } from '../fixtures/seeded.js';
import { writeSmallInput } from '../fixtures/small-input.js';
import { readCommittedDays } from '../fixtures/store-snapshot.js';

/** Number of races of each kind, in each place. */
const RACES = Number(process.env['CRD_RACES'] ?? '4');
/** Number of processes of a race, in turn. */
const PROCESSES = [2, 8, 4, 6, 3, 7, 5];
const SLOW_MS = 600_000;
const BASE = '2025-02-01T12:00:00Z';
const NEXT = '2025-02-02T12:00:00Z';

/** What is published before a race, and what the processes race to publish. */
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

/** How one of several processes ended: its exit code, and the outcome that it reported. */
type Ending = { readonly code: number | null; readonly outcome: string };

async function race(ground: Ground, publications: readonly Publication[]): Promise<Ending[]> {
  const runs = await Promise.all(publications.map((publication) => publishTo(ground, publication)));
  return runs.map(({ code, stdout }) => ({
    code,
    outcome: (JSON.parse(stdout) as { outcome: string }).outcome,
  })); // --json
}

describe.each([
  ['a directory', placeInDirectory],
  ['S3', placeInS3],
] as const)('processes that publish to %s at once', (_name, createPlace) => {
  let place: Place;
  let publications: Awaited<ReturnType<typeof writePublications>>;
  beforeAll(async () => {
    place = await createPlace();
    publications = await writePublications(path.join(place.folder, 'input'));
  }, SLOW_MS);
  afterAll(() => place.dispose(), SLOW_MS);

  async function prepare(name: string, isFirst: boolean): Promise<Ground> {
    const ground = await place.grounds.create(name);
    if (!isFirst) expect((await publishTo(ground, publications.base)).code).toBe(0);
    return ground;
  }

  async function expectSound({ store }: Ground, seed: number): Promise<void> {
    const { faults } = await verifyStore(store, { deep: false });
    const current = await readCurrent(store);
    const isFresh = (await readAliasSequence(store)) === current.sequence;
    expect({ seed, faults, isFresh }).toEqual({ seed, faults: [], isFresh: true });
    expect(await readCommittedDays(store)).toBeGreaterThan(0);
  }

  it(
    'with the same input: one release comes of it, and whoever does not exit 6 says so',
    async () => {
      for (let seed = 1; seed <= RACES; seed += 1) {
        const isFirst = seed % 3 === 0;
        const ground = await prepare(`same-${seed}`, isFirst);
        const [rival] = publications.rivals;
        if (rival === undefined) throw new Error('there is no rival');
        const endings = await race(ground, new Array<Publication>(countOf(seed)).fill(rival));
        for (const ending of endings) {
          expect([seed, ending]).toEqual([
            seed,
            ending.code === 6
              ? { code: 6, outcome: 'failed' }
              : { code: 0, outcome: expect.stringMatching(/^(published|unchanged)$/) },
          ]);
        }
        expect(endings.map(({ outcome }) => outcome)).toContain('published');
        expect((await readCurrent(ground.store)).sequence).toBe(isFirst ? 1 : 2);
        await expectSound(ground, seed);
      }
    },
    SLOW_MS,
  );

  it(
    'with different input: every release of the chain is one that its process reported, and nothing is mixed',
    async () => {
      for (let seed = 1; seed <= RACES; seed += 1) {
        const random = createRandom(seed);
        const ground = await prepare(`other-${seed}`, seed % 3 === 0);
        const { rivals } = publications;
        const drawn = Array.from(
          { length: countOf(seed) },
          () => rivals[Math.floor(random() * rivals.length)] ?? publications.base,
        );
        const endings = await race(ground, drawn);
        expect([seed, endings.filter(({ code }) => ![0, 5, 6].includes(code ?? -1))]).toEqual([seed, []]);
        const published = endings.filter(({ outcome }) => outcome === 'published').length;
        const before = seed % 3 === 0 ? 0 : 1;
        const { sequence } = await readCurrent(ground.store);
        expect(sequence).toBeGreaterThan(before);
        expect(sequence - before).toBeLessThanOrEqual(published);
        await expectSound(ground, seed);
      }
    },
    SLOW_MS,
  );
});
