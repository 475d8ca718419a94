import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { installLocked } from '../../../scripts/python/install-locked.js';
import { calendarPath, chainPagePath, PAGE_PATHS } from '../../../schemas/paths.js';
import { startGatewayProcess, type GatewayProcess } from '../../support/gateway/gateway-process.js';
import { LAST_DATE, serveStore } from '../../support/gateway/served-release.js';
import { assertSuccess, runProgram } from '../../support/process/run-program.js';
import { MAIN as GENERATOR } from '../../support/process/generator-run.js';
import { createTemporaryFolder, type TemporaryFolder } from '../../support/process/temporary-folder.js';
import { writeSmallInput } from '../../support/release/small-input.js';

const SLOW_MS = 300_000;
const ROOT = path.join(import.meta.dirname, '../../..');
const PROGRAM = path.join(ROOT, 'test/python/dataset/check_dataset.py');
const DAYS = { base: 119, bitcoin: 60 };
const ROWS = {
  package: { 'bitcoin-regime-calendar': 60, 'base-regime-calendar': 119 },
  croissant: { bitcoin: 60, base: 119 },
};
/** A revision begins with a date, so that it cannot be a version of semver. */
const NO_SEMVER = expect.stringContaining("Version doesn't follow MAJOR.MINOR.PATCH") as string;

/** What the program prints. */
type Findings = {
  readonly package: object;
  readonly croissant: object;
  readonly pages: readonly (readonly string[])[];
};

let python: string;
let folder: TemporaryFolder;
let gateway: GatewayProcess;
const inFolder = (name: string): string => path.join(folder.path, name);

beforeAll(async () => {
  python = installLocked({
    what: 'the libraries of datasets',
    requirements: path.join(ROOT, 'test/python/dataset/requirements.txt'),
    folder: path.join(ROOT, '.python/dataset'),
  });
  folder = await createTemporaryFolder();
  const stores = { store: `file:${inFolder('store')}`, accounts: `file:${inFolder('accounts')}` };
  await publish('2025-04-29T06:00:00Z', { base: DAYS.base - 1, bitcoin: DAYS.bitcoin });
  const release = await serveStore(stores);
  gateway = await startGatewayProcess(release.env);
}, SLOW_MS);
afterAll(async () => {
  await gateway.stop();
  await folder.dispose();
});

/** Publishes days as of an instant, with the address of the gateway if it is known. */
async function publish(asOf: string, days: typeof DAYS, address?: string): Promise<void> {
  await writeSmallInput(inFolder('input'), { days });
  if (address !== undefined) {
    const site = { name: 'A site', base_url: address, terms_url: 'https://example.com/terms' };
    await writeFile(inFolder('input/site.json'), JSON.stringify(site));
  }
  const line = ['publish', '--input', inFolder('input'), '--store', `file:${inFolder('store')}`];
  assertSuccess(await runProgram(process.execPath, [GENERATOR, ...line, '--as-of', asOf], {}));
}

async function run(program: string, ...line: readonly string[]): Promise<string> {
  const environment = { PATH: process.env['PATH'] ?? '', HOME: inFolder('home') };
  return assertSuccess(await runProgram(python, [program, ...line], environment, folder.path)).stdout;
}

/** Returns what the libraries say about the site at an address or in a folder. */
async function check(address: string, ...pages: readonly string[]): Promise<Findings> {
  return JSON.parse(await run(PROGRAM, address, ...pages)) as Findings; // output of the program
}

/** Saves the data block of a page. Returns the name of its file. */
async function saveBlock(page: string): Promise<string> {
  const html = await (await fetch(gateway.url + page)).text();
  const [, block = ''] = /<script type="application\/ld\+json">(.*?)<\/script>/.exec(html) ?? [];
  const file = inFolder(`${page.replaceAll('/', '-')}.json`);
  await writeFile(file, block);
  return file;
}

it(
  'a copy in a folder, of a site without an address, is read and valid; a changed cell is refused',
  async () => {
    const copy = inFolder('copy');
    await cp(inFolder('store/public'), copy, { recursive: true });
    const found = await check(copy);
    expect(found.package).toEqual({
      valid: true,
      errors: [],
      rows: { ...ROWS.package, 'base-regime-calendar': 118 },
    });
    expect(found.croissant).toMatchObject({ rows: { ...ROWS.croissant, base: 118 } });
    const calendar = path.join(copy, calendarPath('base'));
    await writeFile(calendar, (await readFile(calendar, 'utf8')).replace('2025-01-31', '2025-01-30'));
    const changed = await check(copy);
    expect(changed.package).toMatchObject({
      valid: false,
      errors: expect.arrayContaining([['hash-count', expect.any(String)]]) as unknown,
    });
    expect(changed.croissant).toEqual({ refused: expect.stringContaining('is not identical') as string });
  },
  SLOW_MS,
);

it(
  'two releases one after the other are read from their address, and the programs of the guide print the last row',
  async () => {
    await publish('2025-04-29T07:00:00Z', { ...DAYS, base: DAYS.base - 1 }, gateway.url);
    await untilServed('2025-04-29.000002');
    expect((await check(gateway.url)).croissant).toMatchObject({ rows: { base: 118 } });
    await publish('2025-04-30T06:00:00Z', DAYS, gateway.url);
    await untilServed('2025-04-30.000001');
    const found = await check(gateway.url, await saveBlock('/'), await saveBlock(chainPagePath('base')));
    const at = (chain: 'base' | 'bitcoin'): string => gateway.url + calendarPath(chain);
    expect(found).toEqual({
      package: { valid: true, errors: [], rows: ROWS.package },
      croissant: { warnings: [NO_SEMVER], rows: ROWS.croissant },
      pages: [[at('base'), at('bitcoin')].sort(), [at('base')]],
    });
    for (const tool of ['frictionless', 'croissant']) {
      const guide = await readFile(path.join(ROOT, `templates/guides/tools/read-with-${tool}.py`), 'utf8');
      await mkdir(inFolder('guide'), { recursive: true });
      await writeFile(
        inFolder(`guide/read-with-${tool}.py`),
        guide.replace('http://127.0.0.1:8080', gateway.url),
      );
      const [, month = '', day = ''] = LAST_DATE.split('-').map(Number).map(String);
      expect(await run(inFolder(`guide/read-with-${tool}.py`))).toMatch(
        new RegExp(`${LAST_DATE}|datetime.date\\(2025, ${month}, ${day}\\)`),
      );
    }
  },
  SLOW_MS,
);

/** Waits until the gateway serves a revision. */
async function untilServed(revision: string): Promise<void> {
  for (;;) {
    const answer = await fetch(gateway.url + PAGE_PATHS.dataPackage);
    if ((await answer.text()).includes(`"version":"${revision}"`)) return;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}
