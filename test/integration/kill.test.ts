import { killPublications, STEPS, type KilledRun } from '../fixtures/killed-run.js';
import { createScene, placeInDirectory, placeInS3, type Place } from '../fixtures/kill-scenes.js';

/** Number of kills on a directory; on S3 a fifth of it. At least a tenth of each fall within each step. */
const KILLS = Number(process.env['CRD_KILLS'] ?? '200');
const SEED = Number(process.env['CRD_KILL_SEED'] ?? '1');
const SLOW_MS = 900_000;

describe.each([
  ['a directory', placeInDirectory, KILLS],
  ['S3', placeInS3, Math.ceil(KILLS / 5)],
] as const)('publications on %s, killed at drawn moments', (_name, createPlace, kills) => {
  const perStep = Math.floor(kills / 10);
  let place: Place;
  let killed: readonly KilledRun[] = [];

  beforeAll(async () => {
    place = await createPlace();
    const { folder, grounds } = place;
    const scenes = [
      await createScene('a second release', folder, grounds),
      await createScene('a first release', folder, grounds),
    ] as const;
    killed = await killPublications({ seed: SEED, kills, perStep, grounds, scenes });
  }, SLOW_MS);
  afterAll(() => place.dispose(), SLOW_MS);

  /** Names of the runs that are not as they should be, with what was seen of them. */
  const those = (isWrong: (run: KilledRun) => boolean): readonly KilledRun[] => killed.filter(isWrong);

  it('are hit often enough within each step of the protocol', () => {
    const hits = Object.fromEntries(
      STEPS.map((step) => [step, killed.filter(({ within }) => within === step).length]),
    );
    const all = Object.entries(hits).every(([, count]) => count >= perStep);
    expect({ seed: SEED, kills: killed.length >= kills, all, hits }).toEqual({
      seed: SEED,
      kills: true,
      all: true,
      hits,
    });
  });

  it('leave the pointer at exactly the old or the new release', () => {
    expect(those(({ pointer }) => pointer === 'neither')).toEqual([]);
    expect(new Set(killed.map(({ pointer }) => pointer))).toEqual(new Set(['old', 'new']));
  });

  it('leave under every key what was there before, or what an undisturbed run puts there', () => {
    expect(those(({ strangers }) => strangers.length > 0)).toEqual([]);
  });

  it('leave a release that verifies, but for public copies that lag', () => {
    expect(those(({ faults }) => faults.length > 0)).toEqual([]);
  });

  it('do not keep the next run from completing', () => {
    expect(those(({ next }) => next.code !== 0)).toEqual([]);
    expect(new Set(killed.map(({ next }) => next.kind))).toEqual(new Set(['same', 'later']));
  });

  it('are made good by the next run to the byte, with the same input and as-of', () => {
    expect(those(({ next }) => next.differing.length > 0)).toEqual([]);
  });

  it('leave a sound store with all its history after a later run with other input', () => {
    expect(those(({ next }) => next.kind === 'later' && next.faults.length > 0)).toEqual([]);
  });
});
