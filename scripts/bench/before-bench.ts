/**
 * Compares this commit with an earlier one, side by side: `npm run bench -- before --commit <commit>`.
 *
 * - Each commit is copied to a folder of its own, installed and built there. The folders stay, so that the next run is faster.
 * - Every row is measured alternately on both sides, and its median counts.
 * - CPU is that of the whole process tree, user and system. A child that its parent did not wait for is missing.
 * - Nothing is deleted before the end, because file systems create files slowly after many were deleted.
 * - Each side reads and writes stores of its own, because neither has to read the format of the other.
 */
import path from 'node:path';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { formatTable } from '../../infra/process/format-table.js';
import { CHAIN_IDS } from '../../schemas/catalog.js';
import { copyCommit } from '../build/copy-commit.js';
import { prepareStore, saturate, sendEvenly, startServers } from './gateway-servers.js';
import {
  type Bench,
  type BenchInput,
  type BenchOptions,
  type Check,
  cutHistory,
  formatJson,
  isPassed,
  machine,
  median,
  parseCount,
  readHistory,
  writeHistory,
} from './harness.js';
import { runTree } from './process-tree.js';
import { SLOW_DATES, startSlowNode } from './slow-nodes.js';

const ROWS = ['publish', 'nodes', 'demo', 'test', 'gateway'] as const;
type Row = (typeof ROWS)[number];
type Side = 'before' | 'now';

type BeforeOptions = {
  readonly commit: string;
  readonly history: string;
  readonly rounds: number;
  readonly rows: readonly Row[];
  readonly json: string;
};

/** Bounds as ratios to before; a name is that of a measured value. */
const BOUNDS: Readonly<Record<string, number>> = {
  'publish, nothing new: CPU s': 0.4,
  'publish, one new day of each chain: CPU s': 0.4,
  'publish, one new day of each chain: objects': 0.4,
  'publish, one new day of each chain: MB': 0.3,
  'first publish: CPU s': 0.7,
  'first publish: peak MB': 1.3,
  'first publish of 100 days of one chain: CPU s': 0.35,
  'collect 60 days of ethereum with receipts: s': 0.5,
  'collect 60 days of ethereum with receipts: requests': 1,
  'collect 60 days of ethereum with receipts: peak MB': 1.1,
  'collect 60 days of bitcoin: s': 0.75,
  'collect 60 days of bitcoin: requests': 1,
  'collect 60 days of bitcoin: peak MB': 1.1,
  'demo until it serves: CPU s': 0.35,
  'status of the demo’s store: CPU s': 0.4,
  'npm test: CPU s': 0.4,
  'gateway, time per redirect: ms': 1 / 0.95,
  'gateway, p99 at half rate: ms': 1.1,
  'gateway, memory at its first answer: MB': 0.7,
  'gateway, memory after 50,000 redirects: MB': 0.6,
};

/** Measured values by name and side, in the order of the rounds. */
type Samples = Map<string, Record<Side, number[]>>;

/** A side with its copy of the repository, and a folder for its stores. */
type Subject = { readonly side: Side; readonly root: string; readonly work: string };

/** Adds the bench that compares this commit with an earlier one. */
export const addBeforeBench: Bench = (command, options) =>
  command
    .summary('this commit compared with an earlier one: CPU time, memory, written bytes')
    .description(
      'Installs and builds both commits in folders of their own, and measures them alternately. Takes about half an hour ' +
        'with five rounds. Exits with 1 if a bound is missed. Commit first: what is not committed is not measured.',
    )
    .requiredOption('--commit <commit>', 'the earlier commit')
    .option(
      '--history <dir>',
      'folder with the real histories in metrics/ (or CRD_HISTORY_DIR)',
      options.environment['CRD_HISTORY_DIR'] ?? path.join('..', 'shared', 'data'),
    )
    .option('--rounds <n>', 'number of measurements of each row; the median counts', parseCount, 5)
    .option('--rows <names...>', `only these rows: ${ROWS.join(', ')}`, [...ROWS])
    .option('--json <file>', 'file for the results with every sample', 'bench-before.json')
    .action((own: BeforeOptions) => runBeforeBench(own, options));

async function runBeforeBench(own: BeforeOptions, options: BenchOptions): Promise<void> {
  const startedAtMs = options.now();
  const parent = path.join(options.root, 'data', 'bench');
  await mkdir(parent, { recursive: true });
  const work = await mkdtemp(path.join(parent, 'run-'));
  try {
    const subjects: Subject[] = [];
    for (const [side, commit] of [
      ['before', own.commit],
      ['now', 'HEAD'],
    ] as const)
      subjects.push({ side, root: await prepareCopy(commit, parent, options), work: path.join(work, side) });
    const samples: Samples = new Map();
    for (const row of own.rows) await MEASURES[row](subjects, own, samples, options);
    const checks = checkSamples(samples);
    options.print(formatSamples(samples, own.commit));
    const results = { commit: own.commit, samples: Object.fromEntries(samples) };
    await writeFile(own.json, formatJson('before', { startedAtMs, checks }, results));
    if (!checks.every(isPassed)) options.fail();
  } finally {
    await rm(work, { recursive: true, force: true, maxRetries: 10 });
  }
}

/** Copies, installs and builds a commit, once. Resolves to its folder. */
async function prepareCopy(commit: string, parent: string, options: BenchOptions): Promise<string> {
  const { root, signal, warn } = options;
  const execute = promisify(execFile);
  const { stdout } = await execute('git', ['rev-parse', '--verify', `${commit}^{commit}`], { cwd: root });
  const id = stdout.trim();
  const folder = path.join(parent, id.slice(0, 12));
  if (existsSync(path.join(folder, 'dist', 'build-info.json'))) return folder;
  warn(`installing and building ${id} (not measured)`);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder);
  await copyCommit(root, id, folder, signal);
  const env = { ...options.environment, SOURCE_COMMIT: id };
  await execute('npm', ['ci', '--no-audit', '--no-fund'], { cwd: folder, env, signal });
  await execute('npm', ['run', '--silent', 'build'], { cwd: folder, env, signal });
  return folder;
}

type Measure = (
  subjects: readonly Subject[],
  own: BeforeOptions,
  samples: Samples,
  options: BenchOptions,
) => Promise<void>;

const MEASURES: Readonly<Record<Row, Measure>> = {
  publish: measurePublish,
  nodes: measureNodes,
  demo: measureDemo,
  test: measureTest,
  gateway: measureGateway,
};

async function measurePublish(
  subjects: readonly Subject[],
  { history: from, rounds }: BeforeOptions,
  samples: Samples,
  options: BenchOptions,
): Promise<void> {
  const history = await readHistory(path.resolve(from, 'metrics'));
  const inputs: BenchInput[] = [];
  const inputFolder = path.join(path.dirname(subjects[0]?.work ?? ''), 'input');
  for (let missing = 0; missing <= rounds; missing += 1) {
    const cut = cutHistory(history, CHAIN_IDS, (rows) => rows.slice(0, rows.length - missing));
    inputs.push(await writeHistory(path.join(inputFolder, `less-${missing}`), cut));
  }
  const hundred = cutHistory(history, ['bitcoin'], (rows) => rows.slice(-100));
  const short = await writeHistory(path.join(inputFolder, 'short'), hundred);
  const publish = async (name: string, { side, root, work }: Subject, input: BenchInput, store: string) => {
    const { cpuSeconds, peakMb, stdout } = await runTree(
      [process.execPath, 'dist/generator/main.js', 'publish', '--input', input.folder, '--store'],
      [`file:${path.join(work, store)}`, '--as-of', input.asOf, '--quiet', '--json'],
      root,
      options,
    );
    const { written } = JSON.parse(stdout) as { written: { objects: number; bytes: number } }; // of publish
    if (name === '') return;
    add(samples, `${name}: CPU s`, side, cpuSeconds, options);
    if (name === 'first publish') add(samples, `${name}: peak MB`, side, peakMb, options);
    if (!name.includes('new day')) return;
    add(samples, `${name}: objects`, side, written.objects, options);
    add(samples, `${name}: MB`, side, written.bytes / 1e6, options);
  };
  const input = (missing: number): BenchInput => inputs[missing] ?? short;
  for (const subject of subjects) await publish('', subject, input(rounds), 'grown');
  for (let round = 1; round <= rounds; round += 1)
    for (const subject of subjects) {
      const cold = `cold-${round}`;
      await publish('first publish', subject, input(0), cold);
      const later = { ...input(0), asOf: input(0).asOf.replace('T06:', 'T07:') };
      await publish('publish, nothing new', subject, later, cold);
      await publish('publish, one new day of each chain', subject, input(rounds - round), 'grown');
      await publish('first publish of 100 days of one chain', subject, short, `short-${round}`);
    }
}

/** Measures collections from made-up nodes that answer slowly, in wall time. */
async function measureNodes(
  subjects: readonly Subject[],
  { rounds }: BeforeOptions,
  samples: Samples,
  options: BenchOptions,
): Promise<void> {
  const { first: since, last } = SLOW_DATES;
  const nodes = { ethereum: await startSlowNode('ethereum'), bitcoin: await startSlowNode('bitcoin') };
  const sources = {
    ethereum: { kind: 'evm-node', endpoint: nodes.ethereum.endpoint, receipts: true },
    bitcoin: { kind: 'bitcoin-node', endpoint: nodes.bitcoin.endpoint },
  };
  const chains = { ethereum: { source: 'ethereum', since }, bitcoin: { source: 'bitcoin', since } };
  try {
    for (let round = 1; round <= rounds; round += 1)
      for (const chain of ['ethereum', 'bitcoin'] as const)
        for (const { side, root, work } of subjects) {
          await mkdir(work, { recursive: true });
          const policy = path.join(work, 'nodes.policy.json');
          await writeFile(policy, JSON.stringify({ schema: 'sources-policy/1', sources, chains }));
          const into = `file:${path.join(work, `nodes-${chain}-${round}`)}`;
          const collect = [process.execPath, 'dist/generator/main.js', 'collect', '--policy', policy];
          const args = ['--chain', chain, '--into', into, '--until', last, '--as-of', '2026-03-15T12:00:00Z'];
          nodes[chain].takeRequests();
          const startedMs = performance.now();
          const { peakMb } = await runTree(collect, [...args, '--quiet'], root, options);
          const seconds = (performance.now() - startedMs) / 1000;
          const name = `collect 60 days of ${chain}${chain === 'ethereum' ? ' with receipts' : ''}`;
          add(samples, `${name}: s`, side, seconds, options);
          add(samples, `${name}: requests`, side, nodes[chain].takeRequests(), options);
          add(samples, `${name}: peak MB`, side, peakMb, options);
        }
  } finally {
    for (const node of Object.values(nodes)) await node.stop();
  }
}

async function measureDemo(
  subjects: readonly Subject[],
  { rounds }: BeforeOptions,
  samples: Samples,
  options: BenchOptions,
): Promise<void> {
  for (let round = 1; round <= rounds; round += 1)
    for (const { side, root, work } of subjects) {
      const store = path.join(work, `demo-${round}`);
      await rm(path.join(root, 'dist'), { recursive: true });
      const demo = ['npm', 'run', '--silent', 'demo', '--', '--port', '18080', '--store', store];
      const { cpuSeconds } = await runTree(demo, [], root, options, /^\d\. Serving/);
      add(samples, 'demo until it serves: CPU s', side, cpuSeconds, options);
      const status = [process.execPath, 'dist/generator/main.js', 'status', '--store', `file:${store}`];
      const { cpuSeconds: statusSeconds } = await runTree(status, [], root, options);
      add(samples, 'status of the demo’s store: CPU s', side, statusSeconds, options);
    }
}

async function measureTest(
  subjects: readonly Subject[],
  { rounds }: BeforeOptions,
  samples: Samples,
  options: BenchOptions,
): Promise<void> {
  for (let round = 1; round <= rounds; round += 1)
    for (const { side, root } of subjects) {
      const { cpuSeconds } = await runTree(['npm', 'test', '--silent'], [], root, options);
      add(samples, 'npm test: CPU s', side, cpuSeconds, options);
    }
}

async function measureGateway(
  subjects: readonly Subject[],
  { history: from, rounds }: BeforeOptions,
  samples: Samples,
  options: BenchOptions,
): Promise<void> {
  const SECONDS = 5;
  const history = await readHistory(path.resolve(from, 'metrics'));
  const stores = new Map<Side, Awaited<ReturnType<typeof prepareStore>>>();
  for (const { side, root, work } of subjects) {
    await mkdir(work, { recursive: true });
    stores.set(side, await prepareStore(history, { work, newDays: 0 }, { ...options, root }));
  }
  let halfRate: number | undefined;
  for (let round = 1; round <= rounds; round += 1)
    for (const { side, root, work } of subjects) {
      const store = stores.get(side);
      if (store === undefined) throw new TypeError('each side has a store');
      const { targets, stop } = await startServers({ store, work, product: root }, options);
      const { redirect } = targets;
      const name = (what: string): string => `gateway, ${what}`;
      try {
        await fetch(redirect.server.url + (redirect.paths[0] ?? ''), { redirect: 'manual' });
        const memoryMb = async (): Promise<number> => (await redirect.server.readMemoryBytes()) / 1e6;
        add(samples, name('memory at its first answer: MB'), side, await memoryMb(), options);
        await saturate(redirect, { requests: 50_000 }, options);
        add(samples, name('memory after 50,000 redirects: MB'), side, await memoryMb(), options);
        const { requests, seconds } = await saturate(redirect, { seconds: SECONDS }, options);
        add(samples, name('time per redirect: ms'), side, (1_000 * seconds) / requests, options);
        halfRate ??= requests / seconds / 2; // the same for both sides
        const { p99Ms } = await sendEvenly(redirect, { rate: halfRate, seconds: SECONDS }, options);
        add(samples, name('p99 at half rate: ms'), side, p99Ms, options);
      } finally {
        await stop();
      }
    }
}

function add(samples: Samples, name: string, side: Side, value: number, { warn }: BenchOptions): void {
  const entry = samples.get(name) ?? { before: [], now: [] };
  entry[side].push(value);
  samples.set(name, entry);
  warn(`${String(entry[side].length).padStart(2)}  ${side.padEnd(7)}${name} ${value.toFixed(2)}`);
}

/** Compares the medians with their bounds. */
function checkSamples(samples: Samples): Check[] {
  const peak = samples.get('first publish: peak MB');
  const most: Check[] =
    peak === undefined
      ? []
      : [
          {
            name: 'first publish, all',
            measured: median(peak.now),
            relation: 'under',
            bound: 600,
            unit: 'MB',
          },
        ];
  return [...most, ...ratiosOf(samples)];
}

/** Compares the medians of both sides with the bounds of their ratios. */
function ratiosOf(samples: Samples): Check[] {
  return [...samples].map(([name, { before, now }]) => ({
    name,
    measured: median(now) / median(before),
    relation: 'at most',
    bound: BOUNDS[name] ?? 1,
    unit: 'times',
  }));
}

/** Formats the medians of both sides, their ratio and its bound as a table. */
function formatSamples(samples: Samples, commit: string): string {
  const { node, cpu, cpus } = machine();
  const bounds = new Map(ratiosOf(samples).map((check) => [check.name, check]));
  const rows = [...samples].flatMap(([name, { before, now }]) => {
    const check = bounds.get(name);
    if (check === undefined) return [];
    const medians = [before, now].map((values) => median(values).toFixed(2));
    return [
      [
        name,
        ...medians,
        check.measured.toFixed(2),
        check.bound.toFixed(2),
        isPassed(check) ? 'pass' : 'FAIL',
      ],
    ];
  });
  return [
    `Before: ${commit}. Medians of ${Math.max(...[...samples.values()].map(({ now }) => now.length))}. Node ${node}, ${cpus} x ${cpu}`,
    formatTable(['row', 'before', 'now', 'ratio', 'bound', ''], rows),
  ].join('\n\n');
}
