import { CHAIN_IDS } from '../../schemas/catalog.js';
import { openStore } from '../../infra/store/open-store.js';
import {
  argumentsFor,
  downloadRelease,
  runRecompute,
  type Download,
} from '../support/clients/recompute-run.js';
import { createTemporaryFolder, type TemporaryFolder } from '../support/process/temporary-folder.js';
import { AS_OF, metricsFolder } from './history-data.js';
import { runGenerator } from './plain-node.js';

const SLOW_MS = 900_000;
/** Limit for recomputing all four chains. */
const MAX_MS = 120_000;
const DATES = { bitcoin: 6437, ethereum: 4038, arbitrum: 1313, base: 566 };

let folder: TemporaryFolder;
let download: Download;
let elapsedMs = 0;

beforeAll(async () => {
  folder = await createTemporaryFolder();
  const store = `file:${folder.path}/store`;
  const options = ['--input', metricsFolder(), '--as-of', AS_OF, '--quiet'];
  const { exitCode, stderr } = await runGenerator('publish', '--store', store, ...options);
  if (exitCode !== 0) throw new Error(`publish ended with ${exitCode}:\n${stderr}`);
  download = await downloadRelease(await openStore(store), `${folder.path}/download`);
}, SLOW_MS);

afterAll(() => folder.dispose(), SLOW_MS);

describe('recompute.py on the gold days of the real history', () => {
  it.each(CHAIN_IDS)(
    'finds the published regime, confidence and hash on every date of %s',
    async (chain) => {
      const gold = [download.days('gold', chain)];
      const beganMs = performance.now();
      const run = await runRecompute(argumentsFor(download, gold, '--compare', download.calendar(chain)));
      elapsedMs += performance.now() - beganMs;
      expect(run).toEqual({ code: 0, stdout: `${DATES[chain]} dates compared, 0 differ\n`, stderr: '' });
    },
    SLOW_MS,
  );

  it('takes less than the limit for all four chains', () => {
    expect(elapsedMs).toBeGreaterThan(0);
    expect(elapsedMs).toBeLessThan(MAX_MS);
  });
});
