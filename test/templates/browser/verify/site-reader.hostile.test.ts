/**
 * The page's verifier against a hostile host, by seeds: CRD_TEST_HOSTILE is the number of cases (default 200),
 * CRD_TEST_HOSTILE_SEED the first seed (default 1). A failure names its seed.
 */
import { PUBLIC_PATHS, TRUST_PATHS } from '../../../../schemas/paths.js';
import { TrustError } from '../../../../schemas/trust/trust-error.js';
import { verifySite, type ReadFile } from '../../../../schemas/trust/verify-site.js';
import { sha256 } from '../../../../templates/browser/verify/sha256.js';
import { createSiteReader } from '../../../../templates/browser/verify/site-reader.js';
import { faultVerdict } from '../../../../templates/browser/verify/verdicts.js';
import { createRandom, pick } from '../../../support/random/seeded.js';
import { changeDocument, forgeSite } from '../../../support/trust/hostile-documents.js';
import {
  drawAnswer,
  startHostileHost,
  type HostileAnswer,
  type HostileHost,
  type HostilePlan,
} from '../../../support/trust/hostile-host.js';
import {
  anchorOf,
  ATTACKS,
  loadAttack,
  loadState,
  msOf,
  VECTORS,
  type VectorSite,
} from '../../../support/trust/vector-site.js';

const CASES = Number(process.env['CRD_TEST_HOSTILE'] ?? '200');
const FIRST = Number(process.env['CRD_TEST_HOSTILE_SEED'] ?? '1');
const MAX_MEMORY_MB = 300;
const MAX_MS = 10_000;
/** Most seconds that a file may make the page wait. */
const MAX_PAUSE = 120;
const TIMEOUT_MS = 200;
const SLOW_MS = 3_600_000;

const { anchor: ANCHOR = '', now: NOW = '' } = VECTORS.states['release-3'] ?? {};
const HONEST = loadState('release-3');
/** What the publisher has signed, also earlier and later, and what only a reader with a memory or a key refuses. */
const SIGNED = [
  ...Object.entries(VECTORS.states)
    .filter(([, { anchor }]) => anchor === ANCHOR)
    .map(([name]) => loadState(name)),
  ...ATTACKS.filter(({ anchor }) => anchor === ANCHOR)
    .filter(({ fault, seen, reader }) => fault === null || seen !== null || reader === 'subscriber')
    .map(loadAttack),
];
const TRUST: readonly string[] = Object.values(TRUST_PATHS);
const DOCUMENTS = [...TRUST, PUBLIC_PATHS.release];
const PATHS = [...HONEST.keys()].filter((path) => !path.startsWith('/api/v1/files/'));

type Random = () => number;

let host: HostileHost;
beforeAll(async () => {
  host = await startHostileHost(HONEST);
});
afterAll(() => host.dispose());

/** Returns what a host does in a case, with a name. */
async function drawPlan(random: Random): Promise<HostilePlan & { readonly name: string }> {
  const kind = random();
  const [name, site] = await drawSite(random);
  const answers = new Map<string, HostileAnswer>();
  if (kind > 0.4)
    for (let i = 0; i < pick([1, 1, 2, 4], random); i += 1)
      answers.set(
        random() < 0.6 ? pick(DOCUMENTS, random) : pick(PATHS, random),
        drawAnswer(random, PATHS, host.elsewhere),
      );
  const until = random() < 0.15 ? Math.floor(random() * 30) : Infinity;
  return {
    name: [name, ...[...answers].map(([path, answer]) => `${path}: ${answer.name}`)].join(', '),
    siteAt: (request) => (request > until ? HONEST : site),
    answers,
    passes: random() < 0.8 ? 'all' : pick(['first', 'second'], random),
  };
}

async function drawSite(random: Random): Promise<[string, VectorSite]> {
  const kind = random();
  if (kind < 0.2) return ['the true files', HONEST];
  if (kind < 0.3) return ['forged files', await forgeSite(HONEST, random)];
  if (kind < 0.4) {
    const attack = pick(ATTACKS, random);
    return [attack.name, loadAttack(attack)];
  }
  const site = new Map(HONEST);
  const changed = Array.from({ length: pick([1, 1, 2, 5], random) }, () => {
    const path = random() < 0.6 ? pick(DOCUMENTS, random) : pick(PATHS, random);
    site.set(path, changeFile(path, random));
    return path;
  });
  return [`changed ${changed.join(', ')}`, site];
}

function changeFile(path: string, random: Random): Uint8Array {
  const kind = random();
  if (kind < 0.2) return pick(SIGNED, random).get(path) ?? Buffer.of(); // an old or a later one
  if (kind < 0.3) return HONEST.get(pick(PATHS, random)) ?? Buffer.of(); // another one
  return changeDocument(HONEST.get(path) ?? Buffer.of(), random);
}

/** The result of a case. `read` has the last bytes of each file. */
type Outcome = {
  readonly fault: unknown;
  readonly read: ReadonlyMap<string, Uint8Array>;
  readonly longestPause: number;
  /** Files that another host answered. */
  readonly foreign: ReadonlySet<string>;
};

async function visit(): Promise<Outcome> {
  const read = new Map<string, Uint8Array>();
  const foreign = new Set<string>();
  let longestPause = 0;
  const readerOf = (): { readonly file: ReadFile; readonly paused: () => number } => {
    let paused = 0;
    const file = createSiteReader({
      async fetchFile(path, request) {
        foreign.delete(path);
        const response = await fetch(new URL(path, host.endpoint), request);
        if (response.url.startsWith(host.elsewhere)) foreign.add(path);
        return response;
      },
      origin: new URL(host.endpoint).origin,
      pause: (seconds) => Promise.resolve(void (paused += seconds)),
      timeoutMs: TIMEOUT_MS,
    });
    return { file, paused: () => paused };
  };
  const fault: unknown = await verifySite({
    anchor: anchorOf(ANCHOR),
    now: () => msOf(NOW),
    sha256,
    concurrency: 6,
    async read(path, options) {
      const { file: readFile, paused } = readerOf(); // one for each file, to add up its pauses
      try {
        const file = await readFile(path, options);
        if (file === undefined) read.delete(path);
        else read.set(path, Uint8Array.from(file.bytes));
        if (file !== undefined && file.bytes.length > options.maxBytes + 1) throw new RangeError('too long');
        return file;
      } finally {
        longestPause = Math.max(longestPause, paused());
      }
    },
  }).then(
    () => undefined,
    (error: unknown) => error,
  );
  return { fault, read, longestPause, foreign };
}

/** Returns whether the publisher has signed everything that was read: documents of any state, and the files of one of them. */
function isSigned(read: ReadonlyMap<string, Uint8Array>): boolean {
  const has = (site: VectorSite, path: string): boolean =>
    Buffer.compare(site.get(path) ?? Buffer.of(), read.get(path) ?? Buffer.from('nothing')) === 0;
  const rest = PATHS.filter((path) => !TRUST.includes(path));
  return (
    TRUST.every((path) => SIGNED.some((site) => has(site, path))) &&
    SIGNED.some((site) => rest.every((path) => has(site, path)))
  );
}

const stackOf = (fault: unknown): string => (fault instanceof Error ? String(fault.stack) : typeof fault);

/** Returns what is wrong with the result of a case. */
function judge({ fault, read, longestPause, foreign }: Outcome, ms: number): string[] {
  const isFault = fault instanceof TrustError;
  const words = isFault ? faultVerdict(fault).paragraphs.join(' ') : '';
  return [
    ...(fault === undefined && !isSigned(read) ? ['something that is not signed is accepted'] : []),
    ...(fault === undefined && foreign.size > 0 ? ['files of another host are accepted'] : []),
    ...(fault !== undefined && !isFault ? [`the page fails: ${stackOf(fault)}`] : []),
    ...(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(words) ? ['a verdict with control characters'] : []),
    ...(longestPause > MAX_PAUSE ? [`a pause of ${longestPause} s`] : []),
    ...(ms > MAX_MS ? [`${ms} ms`] : []),
  ];
}

it(
  'a hostile host gets nothing accepted that is not signed, nor much memory or time',
  async () => {
    const counts: Record<string, number> = {};
    const { rss: bytesAtStart } = process.memoryUsage();
    let [mostBytes, slowestMs, slowest] = [0, 0, ''];
    const sample = (): void => void (mostBytes = Math.max(mostBytes, process.memoryUsage().rss));
    const timer = setInterval(sample, 10);
    for (let seed = FIRST; seed < FIRST + CASES; seed += 1) {
      const plan = await drawPlan(createRandom(`page ${seed}`));
      host.follow(plan);
      const startedMs = performance.now();
      const outcome = await visit();
      const ms = performance.now() - startedMs;
      sample();
      const wrong = judge(outcome, ms);
      if (wrong.length > 0)
        throw new Error(`seed ${seed} (${plan.passes}: ${plan.name}): ${wrong.join(', ')}`);
      const code = outcome.fault instanceof TrustError ? outcome.fault.code : 'accepted';
      counts[code] = (counts[code] ?? 0) + 1;
      if (ms > slowestMs) [slowestMs, slowest] = [ms, `seed ${seed}: ${plan.name}`];
    }
    clearInterval(timer);
    const grownMb = Math.round((mostBytes - bytesAtStart) / 1e6);
    if (CASES >= 1_000)
      process.stderr.write(
        `${CASES} cases: ${JSON.stringify(counts)}, ${grownMb} MB, slowest ${Math.round(slowestMs)} ms (${slowest})\n`,
      );
    expect(grownMb).toBeLessThan(MAX_MEMORY_MB);
    expect(counts['accepted']).toBeGreaterThan(CASES / 100);
    expect(counts['accepted']).toBeLessThan(CASES / 1.5);
  },
  SLOW_MS,
);
