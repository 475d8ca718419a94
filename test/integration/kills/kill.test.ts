import {
  createDirectoryWorkspace,
  createS3Workspace,
  createScenario,
  type Workspace,
  currentRelease,
  publishInProcess,
  type Publication,
  type PublishScenario,
  type TestStore,
  type TestStores,
} from '../../support/kills/publish-scenario.js';
import pMap from 'p-map';
import type { Stage } from '../../../generator/run/progress.js';
import { verifyStore } from '../../../generator/verify/verify-store.js';
import { runStaged, type StagedRun } from '../../support/process/staged-run.js';
import { createRandom } from '../../support/random/seeded.js';
import { differingKeys, readCommittedDays, type StoreSnapshot } from '../../support/stores/store-snapshot.js';

/** The stages of a publication that write. Each of them must be hit. */
const WRITE_STAGES = ['mark', 'write', 'record', 'commit', 'aliases'] as const satisfies Stage[];
const READ_STAGES = ['input', 'state', 'plan'] as const satisfies Stage[];
/** Number of concurrent processes. With more, the times of the kills would be less precise. */
const CONCURRENCY = 2;
/** Limit of runs for each wanted kill. */
const MAX_RUNS_PER_KILL = 3;

/** The state after a publication was killed, and after the next run. Lists are empty if all is well. */
type KilledRun = {
  /** Seed, number, scenario and moment. */
  readonly name: string;
  readonly within: Stage | undefined;
  readonly current: 'old' | 'new' | 'neither';
  /** Keys with content that is neither from before nor from an undisturbed run. */
  readonly unexpected: readonly string[];
  /** Faults of the current release. Outdated public copies are none. */
  readonly faults: readonly string[];
  readonly next: NextRun;
};

/** The next run: the same publication again, or a later one with other input. */
type NextRun = {
  readonly kind: 'same' | 'later';
  readonly code: number;
  readonly stderr: string;
  /** For the same publication: keys that differ from the store after an undisturbed run. */
  readonly differing: readonly string[];
  /** For a later publication: faults of the store. */
  readonly faults: readonly string[];
};

/** Options for `killPublications`. */
type KillOptions = {
  readonly seed: number;
  readonly kills: number;
  /** Minimum number of kills within each stage that writes. */
  readonly perStage: number;
  readonly stores: TestStores;
  /** The first one is chosen four times as often. */
  readonly scenarios: readonly [PublishScenario, PublishScenario];
};

/**
 * Kills publications at random moments, until there are enough kills in total and within each stage that writes, or
 * until the limit of runs is reached. A moment is a time after the beginning of a stage. After a run that was killed too
 * late, earlier moments of that stage are chosen.
 */
async function killPublications(options: KillOptions): Promise<KilledRun[]> {
  const random = createRandom(options.seed);
  const killed: KilledRun[] = [];
  const moments = createMoments(options, random);
  let runs = 0;
  const work = async (): Promise<void> => {
    while (!moments.isDone() && runs < options.kills * MAX_RUNS_PER_KILL) {
      const number = (runs += 1);
      const scenario = options.scenarios[random() < 0.8 ? 0 : 1];
      const isLaterNext = random() < 1 / 3;
      const moment = moments.draw(scenario);
      const target = await options.stores.copy(scenario.base, `case-${number}`);
      const run = await publishAndKill(target, scenario.publication, moment);
      moments.learn(moment.stage, run);
      if (run.signal !== 'SIGKILL') continue;
      const where = run.within === undefined ? 'between stages' : `within ${run.within}`;
      const name = `seed ${options.seed}, run ${number}, ${scenario.name}, killed ${moment.delayMs.toFixed(2)} ms after ${moment.stage} began, ${where}`;
      killed.push({ name, within: run.within, ...(await examine(target, scenario, isLaterNext)) });
    }
  };
  await pMap([work, work], (each) => each(), { concurrency: CONCURRENCY });
  return killed;
}

type Moment = { readonly stage: Stage; readonly delayMs: number };

type Moments = {
  readonly isDone: () => boolean;
  readonly draw: (scenario: PublishScenario) => Moment;
  readonly learn: (stage: Stage, run: StagedRun) => void;
};

/** Draws 70 % of the moments in the stage that needs the most kills and the others in any stage; once all have enough, all in any stage. */
function createMoments({ kills, perStage }: KillOptions, random: () => number): Moments {
  const hits = new Map<Stage | undefined, number>();
  /** The part of a stage's usual time in which moments are chosen. */
  const part = new Map<Stage, number>();
  let count = 0;
  const missing = (stage: Stage): number => perStage - (hits.get(stage) ?? 0);
  const neediest = (): Stage | undefined =>
    [...WRITE_STAGES].sort((a, b) => missing(b) - missing(a)).find((stage) => missing(stage) > 0);
  const anyOf = (stages: readonly Stage[]): Stage => stages[Math.floor(random() * stages.length)] ?? 'write';
  return {
    isDone: () => count >= kills && neediest() === undefined,
    draw({ stageMs }) {
      const stage = (random() < 0.7 ? neediest() : undefined) ?? anyOf([...READ_STAGES, ...WRITE_STAGES]);
      return { stage, delayMs: random() * (stageMs[stage] ?? 0) * (part.get(stage) ?? 1) };
    },
    learn(stage, { within, signal }) {
      if (signal === 'SIGKILL') {
        count += 1;
        hits.set(within, (hits.get(within) ?? 0) + 1);
      }
      const before = part.get(stage) ?? 1;
      part.set(stage, within === stage ? Math.min(1, before * 1.2) : before * 0.6);
    },
  };
}

function publishAndKill(
  { address }: TestStore,
  { input, asOf }: Publication,
  moment: Moment,
): Promise<StagedRun> {
  return runStaged(['publish', '--input', input, '--store', address, '--as-of', asOf, '--json'], {
    ...moment,
    act: (child) => child.kill('SIGKILL'),
  });
}

async function examine(
  target: TestStore,
  scenario: PublishScenario,
  isLaterNext: boolean,
): Promise<Omit<KilledRun, 'name' | 'within'>> {
  const found = await target.snapshot();
  const current = await currentRelease(target, scenario);
  return {
    current,
    unexpected: findUnexpected(found, scenario),
    faults: current === 'old' && scenario.before.size === 0 ? [] : await findFaults(target),
    next: isLaterNext ? await runLater(target, scenario) : await runAgain(target, scenario),
  };
}

function findUnexpected(found: StoreSnapshot, { before, after }: PublishScenario): string[] {
  const keys = new Set([...found.keys(), ...before.keys()]);
  return [...keys].filter((key) => ![before.get(key), after.get(key)].includes(found.get(key)));
}

async function findFaults({ store }: TestStore): Promise<string[]> {
  const { faults } = await verifyStore(store, { deep: false });
  return faults.map(({ key, message }) => `${key}: ${message}`);
}

async function runAgain(target: TestStore, { publication, after }: PublishScenario): Promise<NextRun> {
  const { code, stderr } = await publishInProcess(target, publication);
  const differing = differingKeys(await target.snapshot(), after);
  return { kind: 'same', code, stderr, differing, faults: [] };
}

async function runLater(target: TestStore, { later }: PublishScenario): Promise<NextRun> {
  const { code, stderr } = await publishInProcess(target, later);
  const faults = await findFaults(target);
  await readCommittedDays(target.store).catch((error: unknown) => faults.push(String(error)));
  return { kind: 'later', code, stderr, differing: [], faults };
}

/** Number of kills on a directory; on S3 a fifth of it, but at least ten. A tenth of them or more are within each stage that writes. */
const KILLS = Number(process.env['CRD_KILLS'] ?? '200');
const SEED = Number(process.env['CRD_KILL_SEED'] ?? '1');
const SLOW_MS = 1_800_000;

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
