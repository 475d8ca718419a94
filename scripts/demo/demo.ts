/**
 * The demo: collects the sample from sources on this machine, publishes it to a directory with the real generator, verifies
 * it, prints the results, and serves them with the real gateway until interrupted. With `--check` it runs the printed
 * commands and exits; it fails unless everything worked.
 */
import { confidenceWords, count, joinWords } from '../../schemas/words.js';
import { execFile, spawn } from 'node:child_process';
import { stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { Command } from 'commander';
import { CHAIN_IDS, CHAINS } from '../../schemas/catalog.js';
import { calendarPath, publicKey, PUBLIC_PATHS, summaryPath } from '../../schemas/paths.js';
import type { Chain, ChainLanding, Landing } from '../../schemas/types.generated.js';
import { assertValid } from '../../schemas/validate.js';
import { labelSentence } from '../../generator/core/pages/page.js';
import { openStore } from '../../infra/store/open-store.js';
import { findDifferences } from './collected-sample.js';
import { assertFreePort, parsePort } from './demo-port.js';
import { BUCKET_DATES, BUCKET_METRICS } from './demo-bucket.js';
import { listVerifyLines, prepareKeys } from './demo-keys.js';
import { showPurchase } from './demo-purchase.js';
import { moveOldStore } from './old-store.js';
import { startDemoGateway, type DemoLine } from './demo-gateway.js';
import { DEMO_SINCE, startDemoSources } from './demo-sources.js';
import { listPythonLines } from './python-lines.js';

/** The built generator and the sample in the repository, relative to this file in dist/scripts/demo. */
const GENERATOR = path.join(import.meta.dirname, '../..', 'generator', 'main.js');
const SAMPLE = path.join(import.meta.dirname, '../..', '..', 'scripts', 'sample');
/** The morning after the sample's last date, so that the demo always prints the same results. */
const AS_OF = '2023-09-27T06:00:00Z';

/** At the top of every page, before what a real service would be alarmed about. */
const NOTICE =
  'Sample data from 2021 to 2023, on purpose: in this demo everything is old, so its pages say that it is late.';

const run = promisify(execFile);
const say = (text: string): void => void process.stdout.write(`${text}\n`);

/** Runs all steps and returns whether they succeeded. */
async function runDemo(folder: string, { check, port }: { check: boolean; port: number }): Promise<boolean> {
  const store = `file:${folder}`;
  const old = await moveOldStore(folder);
  if (old !== undefined)
    say(
      `${shorten(folder)} is a store of the old format ${old.format}. Moved it to ${shorten(old.folder)}.\n`,
    );
  const collected = `${folder}.collected`;
  const { isDone, hasBucket } = await collect(collected);
  if (!isDone) return giveUp(folder, 'The sample could not be collected.');
  if (port !== 0) await writeSite(collected, port);
  const keys = await prepareKeys(folder, generate);
  if (keys === undefined) return giveUp(folder, 'The keys that sign releases could not be prepared.');
  say(`\n2. Publishing what was collected to ${shorten(folder)}, signed with a throwaway key\n`);
  const from = ['--input', collected, '--accept-collected'];
  process.env['CRD_SIGNING_KEY_FILE'] = keys.releaseKey;
  if (!(await generate('publish', ...from, '--store', store, '--as-of', AS_OF))) {
    return giveUp(folder, 'The sample could not be published.');
  }
  say('\n3. Verifying it: every signature, and every file recomputed from the published input\n');
  if (!(await generate('verify', '--deep', '--store', store, '--trust', keys.anchor))) {
    return giveUp(folder, 'The published files could not be verified.');
  }
  const landing = await readLanding(store);
  say(`\n4. Results, as of ${landing.published_at}`);
  for (const chain of CHAIN_IDS) {
    const found = landing.chains[chain];
    if (found !== undefined) say(`\n${describeChain(chain, found, folder)}`);
  }
  say(`\n${describeNext(folder, hasBucket)}`);
  say('\n5. Buying, using and cancelling a subscription with an in-memory payment service\n');
  const isSold = await showPurchase(store, say);
  const isCollected = !check || (await isServed(collected, hasBucket));
  const options = { check, port, hasBucket, anchor: keys.anchor };
  return (await serve(landing, folder, options)) && isSold && isCollected;
}

/** The outcome of collecting: whether it succeeded, and whether the bucket was one of the sources. */
type Collected = { readonly isDone: boolean; readonly hasBucket: boolean };

async function collect(folder: string): Promise<Collected> {
  say(`1. Collecting the sample (${shorten(SAMPLE)}) since ${DEMO_SINCE} into ${shorten(folder)}`);
  const { policy, url, hasBucket, stop } = await startDemoSources(SAMPLE);
  const bucket = hasBucket ? ' and a bucket of Parquet files' : '';
  say(`   from its files, and from growthepie${bucket}, simulated at ${url}`);
  if (!hasBucket)
    say('   A bucket of Parquet files needs DuckDB and was omitted. To add it: npm run install:duckdb');
  say('');
  try {
    const into = ['--into', `file:${folder}`, '--as-of', AS_OF];
    return { isDone: await generate('collect', '--policy', policy, ...into), hasBucket };
  } finally {
    await stop();
  }
}

/** Writes the site, so that the published examples use the address of this demo. */
function writeSite(folder: string, port: number): Promise<void> {
  const site = assertValid('site', {
    name: 'Chain reference data (demo)',
    base_url: `http://127.0.0.1:${port}`,
    publisher: 'Example Data Ltd',
    contact: 'data@example.com',
    terms_url: 'https://example.com/terms',
    privacy_url: 'https://example.com/privacy',
    notice: NOTICE,
  });
  return writeFile(path.join(folder, 'site.json'), `${JSON.stringify(site, null, 2)}\n`);
}

/** Reports differences between the collection and what was served, and returns whether there are none. */
async function isServed(collected: string, hasBucket: boolean): Promise<boolean> {
  const differences = await findDifferences(collected, { sample: SAMPLE, since: DEMO_SINCE, hasBucket });
  for (const difference of differences) process.stderr.write(`demo: ${difference}\n`);
  return differences.length === 0;
}

/** Serves the release until interrupted or, with `check`, until the printed commands have run. */
async function serve(
  landing: Landing,
  folder: string,
  { check, port, hasBucket, anchor }: { check: boolean; port: number; hasBucket: boolean; anchor: string },
): Promise<boolean> {
  const lastDate = landing.chains.ethereum?.updated_through ?? '';
  const metric = hasBucket ? 'gas_price_mean' : 'fee_median';
  const gateway = await startDemoGateway({ store: `file:${folder}`, lastDate, metric, port });
  say(`\n6. Serving it at ${gateway.url} with two demo accounts. Open the address in a browser.\n`);
  say(`  Key of the Research plan               ${gateway.keys.research}`);
  say(`  Key of the Single Chain plan, for Base ${gateway.keys.singleChain}`);
  say(`\n  Account page                           ${gateway.accountUrl}`);
  say(
    '  Sign in there with any name, buy a plan (no money moves), create a key, and cancel the subscription.',
  );
  const verifying = listVerifyLines(gateway, { store: `file:${shorten(folder)}`, anchor });
  for (const { title, line } of [...(await listPythonLines(gateway)), ...gateway.lines, ...verifying])
    say(`\n# ${title}\n${line}`);
  try {
    if (check) return (await runLines(gateway.lines)) && (await isComplete(landing, folder));
    say('\nPaste these commands into another shell. Press Ctrl-C to end the demo.');
    const interrupted = new Promise<boolean>((resolve) => {
      for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => resolve(true));
    });
    return await interrupted;
  } finally {
    await gateway.stop();
  }
}

/** Runs each command in a shell, reports unexpected output, and returns whether all outputs were as expected. */
async function runLines(lines: readonly DemoLine[]): Promise<boolean> {
  let isGood = true;
  for (const { title, line, shows } of lines) {
    const shown = await run('bash', ['-c', line]).catch((error: unknown) => ({ stdout: String(error) }));
    if (shows.test(shown.stdout)) continue;
    isGood = false;
    process.stderr.write(
      `demo: the output of "${title}" does not match ${String(shows)}:\n${shown.stdout}\n`,
    );
  }
  return isGood;
}

/** Runs the generator and returns whether it exited with 0. */
function generate(...args: readonly string[]): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [GENERATOR, ...args], { stdio: ['ignore', 'inherit', 'inherit'] });
    child.once('error', reject);
    child.once('close', (code) => resolve(code === 0));
  });
}

async function readLanding(store: string): Promise<Landing> {
  const found = await (await openStore(store)).get(publicKey(PUBLIC_PATHS.landing));
  if (found === undefined) throw new Error(`${store} has no ${publicKey(PUBLIC_PATHS.landing)}`);
  return assertValid('landing', JSON.parse(Buffer.from(found.bytes).toString('utf8')));
}

function describeChain(chain: Chain, { regime, confidence }: ChainLanding, folder: string): string {
  const rows = [
    ['regime', `${regime.label}: ${labelSentence(regime.label)}`],
    ['since', `${regime.since} (${count(regime.run_days, 'day')})`],
    ['confidence', confidenceWords(regime.label, confidence)],
    ['calendar', shorten(fileOf(folder, calendarPath(chain)))],
    ['summary', shorten(fileOf(folder, summaryPath(chain)))],
  ];
  const lines = rows.map(([name = '', value = '']) => `  ${name.padEnd(11)} ${value}`);
  return [CHAINS[chain].name, ...lines].join('\n');
}

function describeNext(folder: string, hasBucket: boolean): string {
  const simulated = `For Ethereum, ${joinWords(BUCKET_METRICS)} are simulated since ${BUCKET_DATES[0] ?? ''}: they come from the bucket.`;
  const store = `file:${shorten(folder)}`;
  return [
    'Bitcoin and Base are simulated in this sample; Ethereum and Arbitrum are real (growthepie, CC BY 4.0).',
    ...(hasBucket ? [simulated] : []),
    '',
    'Next steps',
    `  see the state of the store  npx crd-generator status --store ${store} # reports overdue: the sample ends in 2023`,
    `  read all chains at once     cat ${shorten(fileOf(folder, PUBLIC_PATHS.landing))}`,
    '  publish it again            npm run demo # unchanged input: nothing new is published',
  ].join('\n');
}

/** Reports missing chains and files, and returns whether all exist. */
async function isComplete(landing: Landing, folder: string): Promise<boolean> {
  const faults = CHAIN_IDS.filter((chain) => landing.chains[chain] === undefined).map(
    (chain) => `${chain} was not published`,
  );
  for (const file of CHAIN_IDS.flatMap((chain) => [calendarPath(chain), summaryPath(chain)])) {
    const stats = await stat(fileOf(folder, file)).catch(() => undefined);
    if (!stats?.isFile()) faults.push(`${shorten(fileOf(folder, file))} is missing`);
  }
  for (const fault of faults) process.stderr.write(`demo: ${fault}\n`);
  return faults.length === 0;
}

function giveUp(folder: string, what: string): false {
  const remedy = `If ${shorten(folder)}, its .collected or its .keys is left from an earlier demo, remove all three and run again. Otherwise choose another directory with --store DIR.`;
  process.stderr.write(`demo: ${what}\n${remedy}\n`);
  return false;
}

function fileOf(folder: string, urlPath: string): string {
  return path.join(folder, publicKey(urlPath));
}

/** Returns the path relative to the working directory if the file is inside it. */
function shorten(file: string): string {
  const relative = path.relative(process.cwd(), file);
  return relative === '' || relative.startsWith('..') ? file : relative;
}

const {
  store: directory,
  check,
  ...chosen
} = new Command('npm run demo --')
  .description('Collects, publishes, verifies and serves the sample, until you press Ctrl-C.')
  .option('--store <dir>', 'directory of the store', path.join('data', 'demo'))
  .option('--port <number>', 'port of the gateway (default: 8080; with --check, a free one)', parsePort)
  .option('--check', 'run the printed commands and exit', false)
  .parse()
  .opts<{ readonly store: string; readonly port?: number; readonly check: boolean }>();
const port = chosen.port ?? (check ? 0 : 8080);
try {
  if (port !== 0) await assertFreePort(port);
  if (!(await runDemo(path.resolve(directory), { check, port }))) process.exitCode = 1;
} catch (error) {
  const what = error instanceof Error ? error.message : String(error);
  process.stderr.write(`demo: ${what}\n`);
  process.exitCode = 1;
}
