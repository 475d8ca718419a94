import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { addDays, toDayNumber } from '../../schemas/dates.js';
import { runInProcess } from '../support/process/generator-run.js';
import { createTemporaryFolder, type TemporaryFolder } from '../support/process/temporary-folder.js';
import { ROOT } from './markdown-pages.js';

const LAST = '2026-03-26';
const dates = Array.from({ length: 30 }, (_, i) => addDays(LAST, i - 29));
/** The files have the header and the form of those exported on 2026-08-18. Their values are made up. */
const FILES = {
  'exports/coinmetrics/bitcoin.csv': [
    'time,AdrActCnt,BlkCnt,CapMrktCurUSD,FeeTotNtv,HashRate,PriceUSD,TxCnt',
    ...dates.map(
      (date, i) =>
        `${date},7004${i + 10},144,1.5e12,3.14159265358979323${i},812345678.5,65000.1,4001${i + 10}`,
    ),
  ],
  'exports/etherscan/ethereum.csv': [
    '"Date(UTC)","UnixTimeStamp","Value"',
    ...dates.map((date, i) => {
      const [year, month, day] = date.split('-').map(Number);
      return `"${month}/${day}/${year}","${toDayNumber(date) * 86_400}","12000${i + 10}"`;
    }),
  ],
};

describe('exports of others', () => {
  let folder: TemporaryFolder;
  beforeAll(async () => {
    folder = await createTemporaryFolder();
  });
  afterAll(() => folder.dispose());

  it('are read with the policy of the README, and nothing else of them', async () => {
    const readme = await readFile(path.join(ROOT, 'generator/README.md'), 'utf8');
    const [, policy = ''] = /#### Exports of others\n[^]*?```json\n([^]*?)```/.exec(readme) ?? [];
    for (const [name, lines] of Object.entries(FILES)) {
      const file = path.join(folder.path, name);
      await mkdir(path.dirname(file), { recursive: true });
      await writeFile(file, `${lines.join('\n')}\n`);
    }
    const file = path.join(folder.path, 'exports.policy.json');
    await writeFile(file, policy);
    const into = `file:${folder.path}/collected`;
    const run = (...words: string[]) => runInProcess([...words, '--policy', file], `${LAST}T23:59:59Z`);
    const { stdout } = await run('sources', 'check');
    expect(stdout.match(/column .* yes$/gm)).toHaveLength(6);
    expect(stdout.match(/^.*NO$/gm)).toEqual(Array(2).fill(expect.stringContaining('newest date')));
    expect(await run('collect', '--into', into)).toMatchObject({
      stdout: expect.stringMatching(/bitcoin +2026-03-25 +29 .*\nethereum +2026-03-25 +29 /),
    });
  });
});
