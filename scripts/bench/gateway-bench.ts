import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { InvalidArgumentError } from 'commander';
import type { Bench, BenchTerms } from './bench.js';
import { isKept } from './check.js';
import { checkGateway, LONG_MARKS, SHORT_MARKS, type GatewayMeasured } from './gateway-checks.js';
import { readFullHistory } from './gateway-history.js';
import { profileGateway } from './gateway-profile.js';
import { formatGatewayFindings, toGatewayFindingsJson } from './gateway-report.js';
import { measureLatencies, measureMemory, measureRates } from './gateway-rounds.js';
import { startScene, type Scene, type SceneTerms } from './gateway-scene.js';
import { canPin } from './gateway-servers.js';
import { prepareStage } from './gateway-stage.js';

type GatewayBenchOptions = {
  readonly history?: string;
  readonly rounds: number;
  readonly seconds: number;
  readonly json: string;
  readonly long?: boolean;
  readonly profile?: boolean;
  readonly check?: boolean;
};

/** The bench of the gateway: rates beside bare Express and the SDK's presigner, latency, memory. */
export const addGatewayBench: Bench = (command, terms) =>
  command
    .summary('redirects a second beside bare Express and the presigner of the SDK, latency, memory')
    .description(
      'Asks the built gateway on one core, with its log, in turns with a bare Express application and one that only ' +
        'signs with the SDK. Takes about three minutes; with --rounds 1 --seconds 3 less than one.',
    )
    .option(
      '--history <dir>',
      'the folder whose metrics/ holds the real histories (or CRD_HISTORY_DIR); made up where absent',
      terms.environment['CRD_HISTORY_DIR'],
    )
    .option('--rounds <n>', 'how often each is measured, in turns; the best counts', parseCount, 5)
    .option('--seconds <n>', 'how long each is asked', parseCount, 5)
    .option('--json <file>', 'where the findings go as JSON, with every sample', 'bench-gateway.json')
    .option('--long', 'hold the memory after 2 million requests to its bound; takes some minutes more')
    .option('--profile', 'say instead what each part of a redirect costs, from a profile of the processor')
    .option('--check', 'exit with 1 when a bound is missed')
    .action((options: GatewayBenchOptions) => runGatewayBench(options, terms));

async function runGatewayBench(options: GatewayBenchOptions, terms: BenchTerms): Promise<void> {
  const startedAtMs = terms.now();
  const history = await readFullHistory(options.history, terms.root);
  const work = await mkdtemp(path.join(tmpdir(), 'bench-gateway-'));
  try {
    const newDays = options.profile === true ? 0 : options.rounds;
    terms.warn(`publishing the full history, and ${newDays} days after it (not measured)`);
    const scene = { stage: await prepareStage(history, { work, newDays }, terms), work };
    if (options.profile === true) {
      terms.print(await profileGateway(scene, options, terms));
      return;
    }
    const measured = await measureGateway(scene, options, terms);
    const findings = {
      startedAtMs,
      history: options.history === undefined ? ('made up' as const) : ('real' as const),
      pinned: canPin(),
      ...measured,
      checks: checkGateway(measured),
    };
    terms.print(formatGatewayFindings(findings));
    await writeFile(options.json, toGatewayFindingsJson(findings));
    if (options.check === true && !findings.checks.every(isKept)) terms.fail();
  } finally {
    await rm(work, { recursive: true, force: true, maxRetries: 10 });
  }
}

async function measureGateway(
  what: SceneTerms,
  { rounds, seconds, long = false }: GatewayBenchOptions,
  terms: BenchTerms,
): Promise<GatewayMeasured> {
  const how = { rounds, seconds };
  const speed = await onStage(what, terms, async (scene) => {
    const rates = await measureRates(scene, how, terms);
    return { rates, latencies: await measureLatencies(scene, rates, how, terms) };
  });
  const { late } = long ? LONG_MARKS : SHORT_MARKS;
  terms.warn(`looking at the memory of a fresh gateway that answers ${late} requests`);
  return { ...speed, memory: await onStage(what, terms, (scene) => measureMemory(scene, late, terms)) };
}

async function onStage<T>(
  what: SceneTerms,
  terms: BenchTerms,
  measure: (scene: Scene) => Promise<T>,
): Promise<T> {
  const scene = await startScene(what, terms);
  try {
    return await measure(scene);
  } finally {
    await scene.stop();
  }
}

function parseCount(text: string): number {
  if (!/^[1-9]\d?$/.test(text)) throw new InvalidArgumentError('give a number from 1 to 99.');
  return Number(text);
}
