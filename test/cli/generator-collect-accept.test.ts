import {
  createCollectScene,
  dailyCsv,
  LAST_DATE,
  type CollectScene,
} from '../support/collection/collect-scene.js';
import type { GeneratorRun } from '../support/process/generator-run.js';

const NEXT_MORNING = '2026-03-28T06:15:00Z';

let scene: CollectScene;
beforeEach(async () => void (scene = await createCollectScene()));
afterEach(() => scene.dispose());

/** Adds the day after the last one to the operator's file, with a number of transactions. */
const writeNext = (txCount: string): Promise<string> =>
  scene.write('base.csv', `${dailyCsv()}2026-03-27,${txCount},50013,1000.1,0.0003\n`);

const collect = (...options: string[]): Promise<GeneratorRun> => scene.collect(options, NEXT_MORNING);

const accept = (named: string): Promise<GeneratorRun> =>
  collect('--chain', 'base', '--accept', named, '--reason', 'an airdrop');

describe('a person accepts exactly the value that they saw:', () => {
  it('the printed command names the value that is withheld', async () => {
    await writeNext('900000');
    expect((await collect()).stderr).toContain('--accept 2026-03-27:tx_count=900000 --reason');
    const again = await collect(); // the source is not read again
    expect(again.stderr).toContain('--accept 2026-03-27:tx_count=900000 --reason');
  });

  it('another value of the source is not accepted, and the run names both', async () => {
    await writeNext('900000');
    await collect();
    await writeNext('950000');
    const { code, stderr } = await accept('2026-03-27:tx_count=900000');
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringMatching(
        /^--accept 2026-03-27:tx_count=900000 accepted nothing: the source has 950000 now, not 900000\.\n/,
      ),
    });
    expect(stderr).toContain('--accept 2026-03-27:tx_count=950000 --reason');
    expect(await scene.csv('base')).toContain(`\n${LAST_DATE},`);
    expect(await scene.csv('base')).not.toContain('\n2026-03-27,');
  });

  it('another revision is not accepted, and the exit is that without the acceptance', async () => {
    await scene.collect();
    await scene.change('base.csv', '2026-03-20,100006', '2026-03-20,160000');
    expect(await accept('2026-03-20:tx_count=150000')).toMatchObject({
      code: 5,
      stderr: expect.stringContaining('accepted nothing: the source has 160000 now, not 150000.'),
    });
    expect(await scene.csv('base')).toContain('2026-03-20,100006,');
    expect((await accept('2026-03-20:tx_count=160000.0')).stderr).not.toContain('--accept');
    expect(await scene.csv('base')).toContain('2026-03-20,160000,');
  });

  it('without a value, whatever the source gives is accepted', async () => {
    await writeNext('900000');
    expect(await accept('2026-03-27:tx_count')).toMatchObject({ code: 0, stderr: '' });
    expect(await scene.csv('base')).toContain('2026-03-27,900000,');
  });
});
