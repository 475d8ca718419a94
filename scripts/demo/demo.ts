/**
 * The demo: collects the sample from sources on this machine, publishes it to a directory with the real generator, prints the
 * results, and serves them with the real gateway until interrupted. What no reader has to wait for, verifying and a purchase,
 * runs while it serves. With `--check` it also runs the printed commands and exits; it fails unless everything worked.
 */
import { confidenceWords, count, joinWords } from '../../schemas/words.js';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { CHAIN_IDS, CHAINS } from '../../schemas/catalog.js';
import { calendarPath, publicKey, PUBLIC_PATHS, summaryPath } from '../../schemas/paths.js';
import type { Chain, ChainLanding, Landing } from '../../schemas/types.generated.js';
import { assertValid } from '../../schemas/validate.js';
import { labelSentence } from '../../generator/core/pages/page.js';
import { openStore } from '../../infra/store/open-store.js';
import { findDifferences } from './collected-sample.js';
import { assertFreePort, parseDemoOptions } from './demo-options.js';
import { BUCKET_DATES, BUCKET_METRICS } from './demo-bucket.js';
import { listVerifyLines, prepareKeys } from './demo-keys.js';
import { showPurchase } from './demo-purchase.js';
import { moveOldStore } from './old-store.js';
import { createDemoAccounts, startDemoGateway, type DemoAccounts, type DemoLine } from './demo-gateway.js';
import { DEMO_SINCE, startDemoSources } from './demo-sources.js';
import { listPythonLines } from './python-lines.js';

/** The built generator and the sample in the repository, relative to this file in dist/scripts/demo. */
const GENERATOR = path.join(import.meta.dirname, '../..', 'generator', 'main.js');
const SAMPLE = path.join(import.meta.dirname, '../..', '..', 'scripts', 'sample');
/** The morning after the sample's last date, so that the demo always prints the same results. */
const AS_OF = '2023-09-27T06:00:00Z';

/** At the top of every page, before what a real service would be alarmed about. */
const NOTICE = `Sample data from ${DEMO_SINCE.slice(0, 4)} to ${AS_OF.slice(0, 4)}, on purpose: in this demo everything is old, so its pages say that it is late.`;

const run = promisify(execFile);
const say = (text: string): void => void process.stdout.write(`${text}\n`);

type DemoRun = { readonly check: boolean; readonly port: number };

/** Runs all steps and returns whether they succeeded. */
async function runDemo(folder: string, options: DemoRun): Promise<boolean> {
  const old = await moveOldStore(folder);
  if (old !== undefined)
    say(
      `${shorten(folder)} is a store of the old format ${old.format}. Moved it to ${shorten(old.folder)}.\n`,
    );
  const accounts = await mkdtemp(path.join(tmpdir(), 'chain-reference-data-demo-'));
  try {
    return await runSteps(folder, accounts, options);
  } finally {
    await rm(accounts, { recursive: true, force: true });
  }
}

async function runSteps(folder: string, accountsFolder: string, { check, port }: DemoRun): Promise<boolean> {
  const store = `file:${folder}`;
  const collected = `${folder}.collected`;
  const begun = [
    collect(collected),
    prepareKeys(folder, generate),
    createDemoAccounts(store, accountsFolder),
  ] as const;
  await Promise.allSettled(begun); // if one fails, the others no longer write when their folder is removed
  const [{ isDone, hasBucket }, keys, accounts] = await Promise.all(begun);
  if (!isDone) return giveUp(folder, 'The sample could not be collected.');
  if (keys === undefined) return giveUp(folder, 'The keys that sign releases could not be prepared.');
  if (port !== 0) await writeSite(collected, port);
  say(`\n2. Publishing what was collected to ${shorten(folder)}, signed with a throwaway key\n`);
  const from = ['--input', collected, '--accept-collected'];
  process.env['CRD_SIGNING_KEY_FILE'] = keys.releaseKey;
  if (!(await generate('publish', ...from, '--store', store, '--as-of', AS_OF))) {
    return giveUp(folder, 'The sample could not be published.');
  }
  const landing = await readLanding(store);
  say(`\n3. Results, as of ${landing.published_at}`);
  for (const chain of CHAIN_IDS) {
    const found = landing.chains[chain];
    if (found !== undefined) say(`\n${describeChain(chain, found, folder)}`);
  }
  say(`\n${describeNext(folder, hasBucket)}`);
  const isServed = await serve(landing, folder, { check, port, hasBucket, anchor: keys.anchor, accounts });
  return isServed && (!check || (await isComplete(landing, folder, { collected, hasBucket })));
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

type ServeOptions = DemoRun & {
  readonly hasBucket: boolean;
  readonly anchor: string;
  readonly accounts: DemoAccounts;
};

/** Serves the release until interrupted or, with `check`, until the printed commands have run. Meanwhile verifies and sells. */
async function serve(landing: Landing, folder: string, options: ServeOptions): Promise<boolean> {
  const { check, port, hasBucket, anchor, accounts } = options;
  const store = `file:${folder}`;
  const lastDate = landing.chains.ethereum?.updated_through ?? '';
  const metric = hasBucket ? 'gas_price_mean' : 'fee_median';
  if (port !== 0) await assertFreePort(port); // again: collecting and publishing took a while
  const gateway = await startDemoGateway({ accounts, lastDate, metric, port });
  say(`\n4. Serving it at ${gateway.url} with two demo accounts. Open the address in a browser.\n`);
  say(`  Key of the Research plan               ${gateway.keys.research}`);
  say(`  Key of the Single Chain plan, for Base ${gateway.keys.singleChain}`);
  say(`\n  Account page                           ${gateway.accountUrl}`);
  say(
    '  Sign in there with any name, buy a plan (no money moves), create a key, and cancel the subscription.',
  );
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());
  const interrupted = once(stop.signal, 'abort').then(() => true);
  try {
    const verifying = listVerifyLines(gateway, { store: `file:${shorten(folder)}`, anchor });
    say('\n  Commands to paste into another shell:');
    for (const { title, line } of [...(await listPythonLines(gateway)), ...gateway.lines, ...verifying])
      say(`\n# ${title}\n${line}`);
    const proven = prove(folder, store, { anchor, signal: stop.signal });
    const isProven = await Promise.race([interrupted, proven]);
    if (stop.signal.aborted) return !check;
    if (check) return (await runLines(gateway.lines)) && isProven;
    if (!isProven) return false;
    say('\nThe demo serves until you press Ctrl-C.');
    return await interrupted;
  } finally {
    await gateway.stop();
  }
}

/** Verifies what is served, buys and cancels a subscription, and returns whether both succeeded. */
async function prove(
  folder: string,
  store: string,
  { anchor, signal }: { readonly anchor: string; readonly signal: AbortSignal },
): Promise<boolean> {
  say(
    '\n5. Verifying it while it is served: every signature, and every file recomputed from the published input\n',
  );
  const isVerified = await runGenerator(['verify', '--deep', '--store', store, '--trust', anchor], signal);
  if (signal.aborted) return false;
  if (!isVerified) return giveUp(folder, 'The published files could not be verified.');
  say('\n6. Buying, using and cancelling a subscription with an in-memory payment service\n');
  return showPurchase(store, say);
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

function generate(...args: readonly string[]): Promise<boolean> {
  return runGenerator(args);
}

/** Runs the generator until it ends or `signal` ends it, and returns whether it exited with 0. */
function runGenerator(args: readonly string[], signal?: AbortSignal): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const stdio = ['ignore', 'inherit', 'inherit'] as const;
    const child = spawn(process.execPath, [GENERATOR, ...args], { stdio: [...stdio], signal });
    child.once('error', (error) => (signal?.aborted === true ? resolve(false) : reject(error)));
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

/** Reports missing chains and files, and differences between the collection and what was served; returns whether there are none. */
async function isComplete(
  landing: Landing,
  folder: string,
  { collected, hasBucket }: { readonly collected: string; readonly hasBucket: boolean },
): Promise<boolean> {
  const faults = await findDifferences(collected, { sample: SAMPLE, since: DEMO_SINCE, hasBucket });
  faults.push(
    ...CHAIN_IDS.filter((chain) => landing.chains[chain] === undefined).map(
      (chain) => `${chain} was not published`,
    ),
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

const { store: directory, check, port } = parseDemoOptions(process.argv);
try {
  if (!(await runDemo(path.resolve(directory), { check, port }))) process.exitCode = 1;
} catch (error) {
  process.stderr.write(`demo: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
