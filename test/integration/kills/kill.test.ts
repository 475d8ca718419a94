import { killPublications, WRITE_STAGES, type KilledRun } from '../../support/kills/killed-run.js';
import {
  createDirectoryWorkspace,
  createS3Workspace,
  createScenario,
  type Workspace,
} from '../../support/kills/publish-scenario.js';

/** Number of kills on a directory; on S3 a fifth of it, but at least ten. A tenth of them or more are within each stage that writes. */
const KILLS = Number(process.env['CRD_KILLS'] ?? '200');
const SEED = Number(process.env['CRD_KILL_SEED'] ?? '1');
const SLOW_MS = 900_000;

describe.each([
  ['a directory', createDirectoryWorkspace, KILLS],
  ['S3', createS3Workspace, Math.max(10, Math.ceil(KILLS / 5))],
] as const)('publications to %s that are killed at random moments', (_name, createWorkspace, kills) => {
  const perStage = Math.floor(kills / 10);
  let workspace: Workspace;
  let killed: readonly KilledRun[] = [];

  beforeAll(async () => {
    workspace = await createWorkspace();
    const { folder, stores } = workspace;
    const scenarios = [
      await createScenario('a second release', folder, stores),
      await createScenario('a first release', folder, stores),
    ] as const;
    killed = await killPublications({ seed: SEED, kills, perStage, stores, scenarios });
  }, SLOW_MS);
  afterAll(() => workspace.dispose(), SLOW_MS);

  const findRuns = (isWrong: (run: KilledRun) => boolean): readonly KilledRun[] => killed.filter(isWrong);

  it('are killed often enough within each stage that writes', () => {
    const hits = Object.fromEntries(
      WRITE_STAGES.map((stage) => [stage, killed.filter(({ within }) => within === stage).length]),
    );
    const isEachStageHit = Object.values(hits).every((count) => count >= perStage);
    const found = { seed: SEED, isEnough: killed.length >= kills, isEachStageHit, hits };
    expect(found).toEqual({ ...found, isEnough: true, isEachStageHit: true });
  });

  it('leave the pointer at exactly the old or the new release', () => {
    expect(findRuns(({ current }) => current === 'neither')).toEqual([]);
    expect(new Set(killed.map(({ current }) => current))).toEqual(new Set(['old', 'new']));
  });

  it('leave under every key the content from before or of an undisturbed run', () => {
    expect(findRuns(({ unexpected }) => unexpected.length > 0)).toEqual([]);
  });

  it('leave a release that verifies, apart from outdated public copies', () => {
    expect(findRuns(({ faults }) => faults.length > 0)).toEqual([]);
  });

  it('do not prevent the next run from completing', () => {
    expect(findRuns(({ next }) => next.code !== 0)).toEqual([]);
    expect(new Set(killed.map(({ next }) => next.kind))).toEqual(new Set(['same', 'later']));
  });

  it('leave the store of an undisturbed run after the same publication runs again', () => {
    expect(findRuns(({ next }) => next.differing.length > 0)).toEqual([]);
  });

  it('leave a sound store with its whole history after a later run with other input', () => {
    expect(findRuns(({ next }) => next.kind === 'later' && next.faults.length > 0)).toEqual([]);
  });
});
