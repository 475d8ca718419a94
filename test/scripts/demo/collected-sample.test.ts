import { cp, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { findDifferences } from '../../../scripts/demo/collected-sample.js';
import { BUCKET_DATES, BUCKET_METRICS } from '../../../scripts/demo/demo-bucket.js';
import { createTemporaryFolder, type TemporaryFolder } from '../../support/process/temporary-folder.js';

const SAMPLE = path.resolve('scripts/sample');
/** The first date of the collection. */
const since = '2022-06-01';

let collected: TemporaryFolder;
beforeEach(async () => {
  collected = await createTemporaryFolder();
  for (const chain of ['bitcoin', 'ethereum', 'arbitrum', 'base']) {
    const [header = '', ...lines] = (await readFile(path.join(SAMPLE, `${chain}.csv`), 'utf8')).split('\n');
    const kept = lines.filter((line) => line === '' || line.slice(0, 10) >= since);
    await writeFile(path.join(collected.path, `${chain}.csv`), [header, ...kept].join('\n'));
  }
});
afterEach(() => collected.dispose());

/** Changes the lines of a collected file. */
async function edit(name: string, change: (line: string, i: number) => string): Promise<void> {
  const file = path.join(collected.path, name);
  const lines = (await readFile(file, 'utf8')).trimEnd().split('\n');
  await writeFile(file, `${lines.map(change).join('\n')}\n`);
}

/** Adds the columns of the bucket to ethereum, with values on these dates. */
function fill(dates: readonly string[]): Promise<void> {
  return edit('ethereum.csv', (line, i) => {
    const cells =
      i === 0 ? BUCKET_METRICS : BUCKET_METRICS.map(() => (dates.includes(line.slice(0, 10)) ? '1' : ''));
    return [line, ...cells].join(',');
  });
}

it.each([false, true])('finds nothing in what the demo serves (with a bucket: %s)', async (hasBucket) => {
  if (hasBucket) await fill(BUCKET_DATES);
  expect(await findDifferences(collected.path, { sample: SAMPLE, since, hasBucket })).toEqual([]);
});

it('finds nothing in a collection that an earlier demo began with older dates', async () => {
  await cp(path.join(SAMPLE, 'base.csv'), path.join(collected.path, 'base.csv'));
  expect(await findDifferences(collected.path, { sample: SAMPLE, since, hasBucket: false })).toEqual([]);
});

it('names a file with another value, and one that is missing', async () => {
  await edit('base.csv', (line, i) => (i === 5 ? `${line}1` : line));
  expect(await findDifferences(collected.path, { sample: SAMPLE, since, hasBucket: false })).toEqual([
    'the collected base.csv differs from that of the sample',
  ]);
});

it.each([
  [[], 'the bucket filled in no date of ethereum.csv'],
  [BUCKET_DATES.slice(1, 3), `the bucket filled in 2023-09-21, 2023-09-22 of ethereum.csv`],
])('says which dates the bucket filled in, if it is not all of them: %j', async (dates, message) => {
  await fill(dates);
  expect(await findDifferences(collected.path, { sample: SAMPLE, since, hasBucket: true })).toEqual([
    message,
  ]);
});
