import { rm } from 'node:fs/promises';
import path from 'node:path';
import { runInProcess, type GeneratorRun } from '../../support/process/generator-run.js';
import { metricsCsv, writeInput, writeSmallInput } from '../../support/release/small-input.js';
import { createTemporaryFolder, type TemporaryFolder } from '../../support/process/temporary-folder.js';

const SLOW_MS = 300_000;

let folder: TemporaryFolder;
let input: string;
let store: string;
beforeAll(async () => {
  folder = await createTemporaryFolder();
  input = await writeSmallInput(path.join(folder.path, 'input'), { days: { bitcoin: 5, base: 4 } });
  store = `file:${path.join(folder.path, 'store')}`;
  expect(await run('publish', '2025-01-10')).toMatchObject({ code: 0, stderr: '' });
  await rm(path.join(input, 'base.csv'));
}, SLOW_MS);
afterAll(() => folder.dispose());

const run = (command: string, asOf: string, ...options: string[]): Promise<GeneratorRun> =>
  runInProcess([command, '--input', input, '--store', store, '--as-of', asOf, ...options]);

const WARNING = 'base.csv: is absent from the input, but the store has base through 2025-01-04.';
const SELECT = 'Put the file back, or select the other chains with --chain.';
const REQUIRED = 'Put the file back, or run without --require-all.';

describe.each(['publish', 'plan'])('%s of an input without the file of a published chain', (command) => {
  it('lists the chain in the table, and warns', async () => {
    const { code, stdout, stderr } = await run(command, '2025-01-11');
    expect({ code, stderr }).toEqual({ code: 0, stderr: `${WARNING} ${SELECT}\n` });
    expect(stdout).toMatch(/^base +absent from the input +2025-01-04 +0 +0 +4$/m);
    expect(stdout).toMatch(/^bitcoin +unchanged +2025-01-05 +0 +0 +5$/m);
  });

  it('names the chain in the document of --json', async () => {
    const { stdout } = await run(command, '2025-01-11', '--json');
    expect(JSON.parse(stdout)).toMatchObject({
      outcome: 'unchanged',
      chains: { base: { outcome: 'absent', updated_through: '2025-01-04', unchanged: 4 } },
    });
  });

  it('does not mention the chain when --chain selects others', async () => {
    const { stdout, stderr } = await run(command, '2025-01-11', '--chain', 'bitcoin', '--require-all');
    expect({ stderr, isListed: stdout.includes('base') }).toEqual({ stderr: '', isListed: false });
  });

  it('exits 3 with --require-all, also if nothing changed', async () => {
    const { code, stdout, stderr } = await run(command, '2025-01-11', '--require-all');
    expect(code).toBe(3);
    expect(stderr).toBe(
      `${WARNING} ${REQUIRED}\ninput invalid: the published state of base was kept; nothing was published\nFix the input and run again:\n  generator ${command} --input ${input} --store ${store} --as-of 2025-01-11 --require-all\n`,
    );
    expect(stdout).toMatch(/^base +absent from the input /m);
  });
});

describe('publish --require-all', () => {
  it(
    'publishes the other chains, unless --all-or-nothing is given',
    async () => {
      await writeInput(input, { 'bitcoin.csv': metricsCsv('bitcoin', 6) });
      const strict = await run('publish', '2025-01-11', '--require-all', '--all-or-nothing', '--json');
      expect({ code: strict.code, ...JSON.parse(strict.stdout) }).toMatchObject({
        code: 3,
        outcome: 'refused',
        sequence: 1,
        chains: { bitcoin: { outcome: 'withheld' }, base: { outcome: 'absent' } },
      });
      const partial = await run('publish', '2025-01-11', '--require-all', '--json');
      expect({ code: partial.code, ...JSON.parse(partial.stdout) }).toMatchObject({
        code: 3,
        outcome: 'partial',
        sequence: 2,
        chains: { bitcoin: { outcome: 'published', new: 1 }, base: { outcome: 'absent' } },
      });
    },
    SLOW_MS,
  );

  it(
    'exits 0 when every published chain has its file, and for a new store',
    async () => {
      await writeInput(input, { 'base.csv': metricsCsv('base', 4) });
      expect(await run('publish', '2025-01-11', '--require-all')).toMatchObject({ code: 0, stderr: '' });
      store = `file:${path.join(folder.path, 'fresh')}`;
      expect(await run('publish', '2025-01-11', '--require-all')).toMatchObject({ code: 0, stderr: '' });
    },
    SLOW_MS,
  );
});
