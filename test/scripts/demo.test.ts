import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { CHAIN_IDS, CHAINS } from '../../schemas/catalog.js';

/** The built program, as `npm run demo` runs it. */
const DEMO = fileURLToPath(new URL('../../dist/scripts/demo.js', import.meta.url));

describe('demo', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'demo-'));
  });
  afterAll(() => rm(folder, { recursive: true, force: true }));

  const runDemo = (...options: string[]): { status: number | null; stdout: string; stderr: string } =>
    spawnSync(process.execPath, [DEMO, ...options], { cwd: folder, encoding: 'utf8' });

  it('publishes the sample, verifies it, and says what it says of each chain and where', () => {
    const { status, stdout, stderr } = runDemo('--check', '--store', 'store');
    expect({ status, stderr }).toEqual({ status: 0, stderr: expect.not.stringContaining('demo:') });
    expect(stdout).toContain('published: 2023-09-27.000001 (sequence 1)');
    expect(stdout).toContain('every record and file recomputed from the gold days');
    for (const chain of CHAIN_IDS) {
      const text = stdout.slice(stdout.indexOf(`\n${CHAINS[chain].name}\n`)).slice(1);
      expect(text).toMatch(
        new RegExp(
          `^${CHAINS[chain].name}\n +regime +\\w+ \\(.+\\)\n +since +\\d{4}-\\d\\d-\\d\\d \\(\\d+ days?\\)\n` +
            ` +confidence +[01]\\.\\d\\d \\((high|moderate|low)\\)\n` +
            ` +calendar +store/public/api/v1/analyst-kit/${chain}/regime-calendar\n` +
            ` +summary +store/public/api/v1/summary/${chain}\n`,
        ),
      );
    }
  }, 120_000);

  it('publishes nothing the second time, and says the same', () => {
    const { status, stdout } = runDemo('--check', '--store', 'store');
    expect(status).toBe(0);
    expect(stdout).toContain('unchanged: 2023-09-27.000001 (sequence 1)');
    expect(stdout).toContain('0 objects written');
  }, 120_000);

  it('fails and says what to do when the store cannot be there', async () => {
    await writeFile(path.join(folder, 'file'), 'not a directory');
    const { status, stderr } = runDemo('--store', 'file');
    expect(status).toBe(1);
    expect(stderr).toContain(
      'demo: The sample could not be published.\nIf file is left from an earlier demo',
    );
  }, 30_000);
});
