import { once } from 'node:events';
import { cp, mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { openStore } from '../../infra/store/open-store.js';
import type { ObjectStore } from '../../infra/store/object-store.js';
import { GENRES } from '../../schemas/catalog.js';
import { PUBLIC_PATHS } from '../../schemas/paths.js';
import type { ReleaseRecord } from '../../schemas/types.generated.js';
import { runGatewayProcess, startGatewayProcess, type GatewayProcess } from '../fixtures/gateway-process.js';
import { startLoopbackServer } from '../fixtures/loopback-server.js';
import {
  startMeddlingProxy,
  type Meddler,
  type MeddlingProxy,
  type ProxyAnswer,
} from '../fixtures/meddling-proxy.js';
import { expectedMirror, manifestOf, readFiles } from '../fixtures/mirrors.js';
import { isTold, startObjectHost, type Visit } from '../fixtures/object-host.js';
import { readCurrent, rollBack } from '../fixtures/operate.js';
import { pasteExamples, type PastedExamples } from '../fixtures/pasted-examples.js';
import { publish } from '../fixtures/published-store.js';
import type { ProgramRun } from '../fixtures/run-program.js';
import { prepareServedRelease, type ServedRelease } from '../fixtures/served-release.js';
import { writeSmallInput } from '../fixtures/small-input.js';
import { createTemporaryFolder, type TemporaryFolder } from '../fixtures/temporary-folder.js';

const SLOW_MS = 60_000;
const PROGRAMS = ['sync.py', 'sync.ts'];
/** Dates of the first release, the date that the second restates, and the one that it adds. */
const DATES = 119;
const RESTATED = '2025-04-20';
const ADDED = '2025-04-30';

/** A gateway on a store, with a proxy before it and before its objects. */
type Scene = {
  readonly root: string;
  readonly store: ObjectStore;
  readonly proxy: MeddlingProxy;
  readonly gateway: GatewayProcess;
  readonly end: () => Promise<unknown>;
};

let folder: TemporaryFolder;
let examples: PastedExamples;
let release: ServedRelease;
let first: ReleaseRecord;
/** The first release, and what no test changes; tests that publish work on copies. */
let scene: Scene;
/** The key of an account that may not read archives. */
let lesserKey: string;
let copies = 0;

beforeAll(async () => {
  folder = await createTemporaryFolder();
  examples = await pasteExamples(path.join(folder.path, 'pasted'));
  release = await prepareServedRelease({
    store: `file:${below('first')}`,
    accounts: `file:${below('accounts')}`,
    folder: below('input'),
  });
  first = release.record;
  await cp(below('first'), below('second'), { recursive: true });
  await publishSecond(below('second'));
  const account = ['--account', 'a-lesser-reader'];
  const grant = ['--plan', 'single-chain', '--chain', 'base', '--until', '2999-12-31', '--reason', 'a test'];
  await runGatewayProcess(['grant', ...account, ...grant], release.env);
  lesserKey = (await runGatewayProcess(['keys', 'create', ...account], release.env)).stdout.trim();
  scene = await setScene(below('first'));
}, SLOW_MS);
afterEach(() => {
  scene.proxy.meddle();
  scene.proxy.takeVisits();
});
afterAll(async () => {
  await scene.end();
  await folder.dispose();
}, SLOW_MS);

const below = (name: string): string => path.join(folder.path, name);
const isManifest = ({ url }: Visit): boolean => url.includes('/manifest.json');
const isDay = ({ url }: Visit): boolean => url.includes('?revision=');
const isApi = ({ url }: Visit): boolean => url.startsWith('/api/');
const dayOf = ({ url }: Visit): string => /(\d{4}-\d\d-\d\d)\.json\?/.exec(url)?.[1] ?? '';

async function publishSecond(root: string): Promise<void> {
  const input = await writeSmallInput(below('second-input'), {
    days: { base: DATES + 1 },
    revised: RESTATED,
  });
  const accept = ['--accept-restatements', 'upstream corrected a count'];
  const { code, stderr } = await publish(input, root, '2025-05-01T00:00:00Z', ...accept);
  if (code !== 0) throw new Error(stderr);
}

async function setScene(root: string): Promise<Scene> {
  const proxy = await startMeddlingProxy();
  const gateway = await startGatewayProcess({
    ...release.env,
    CRD_STORE: `file:${root}`,
    CRD_PUBLIC_BASE_URL: proxy.endpoint,
    CRD_POLL_SECONDS: '1',
    CRD_RATE_KEY_PER_MINUTE: '100000',
  });
  proxy.leadTo(gateway.url);
  const store = await openStore(`file:${root}`);
  return { root, store, proxy, gateway, end: () => Promise.all([gateway.stop(), proxy.dispose()]) };
}

async function setOwnScene(from: string): Promise<Scene> {
  const root = below(`copy-${(copies += 1)}`);
  await cp(below(from), root, { recursive: true });
  return setScene(root);
}

/** Resolves once a gateway serves what its store has in force. */
async function untilServed({ gateway, store }: Scene): Promise<ReleaseRecord> {
  const record = await readCurrent(store);
  for (let i = 0; i < 200; i += 1) {
    const answer = await fetch(gateway.url + PUBLIC_PATHS.release);
    if (((await answer.json()) as { published_revision?: string }).published_revision === record.revision) {
      return record;
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`${record.revision} was not served within ten seconds`);
}

describe.each(PROGRAMS)('%s', (program) => {
  let to: string;
  let mirror: string;
  beforeEach(() => {
    to = below(`mirror-${(copies += 1)}`);
    mirror = path.join(to, 'gold', 'base');
  });

  const argumentsFor = (...args: readonly string[]): string[] => {
    return ['--chain', 'base', '--genre', 'gold', '--to', to, ...args];
  };
  const termsOf = ({ proxy }: Scene) => ({ gateway: proxy.endpoint, key: release.key });
  const sync = (at: Scene, ...args: readonly string[]): Promise<ProgramRun> =>
    examples.run(program, argumentsFor(...args), termsOf(at));
  const summary = (record: ReleaseRecord, rest: string): string =>
    `base gold at ${record.revision}: ${rest}\n`;

  it(
    'mirrors each genre byte for byte, and fetches nothing the second time',
    async () => {
      for (const genre of GENRES) {
        const args = ['--chain', 'base', '--genre', genre, '--to', to, '--jobs', '8'];
        const run = await examples.run(program, args, termsOf(scene));
        const counts = `${DATES} dates, ${DATES} fetched, 0 restated, 0 repaired, 0 moved aside`;
        expect(run).toEqual({
          code: 0,
          stdout: `base ${genre} at ${first.revision}: ${counts}\n`,
          stderr: `base ${genre}: 100 of ${DATES} fetched\n`,
        });
        expect(await readFiles(path.join(to, genre, 'base'))).toEqual(
          await expectedMirror(scene.store, first, genre, 'base'),
        );
      }
      scene.proxy.takeVisits();
      const again = await sync(scene);
      const counts = `${DATES} dates, 0 fetched, 0 restated, 0 repaired, 0 moved aside`;
      expect(again).toEqual({ code: 0, stdout: summary(first, counts), stderr: '' });
      expect(scene.proxy.takeVisits().map(isManifest)).toEqual([true]); // answered by 304: no object was fetched
    },
    SLOW_MS,
  );

  it(
    'is the release that it began with when another is published meanwhile, and then fetches what that changed',
    async () => {
      const own = await setOwnScene('first');
      let published: Promise<ReleaseRecord> | undefined;
      own.proxy.meddle(async (visit, forward) => {
        if (isDay(visit)) await (published ??= publishSecond(own.root).then(() => untilServed(own)));
        return forward();
      });
      const run = await sync(own);
      const second = await untilServed(own);
      expect(published).toBeDefined();
      expect(second.sequence).toBe(first.sequence + 1);
      expect([run.code, await readFiles(mirror)]).toEqual([
        0,
        await expectedMirror(own.store, first, 'gold', 'base'),
      ]);
      own.proxy.meddle();
      own.proxy.takeVisits();
      const later = await sync(own);
      const counts = `${DATES + 1} dates, 2 fetched, 1 restated, 0 repaired, 0 moved aside`;
      expect(later).toEqual({
        code: 0,
        stdout: summary(second, counts),
        stderr: `${RESTATED} is restated: upstream corrected a count\n`,
      });
      expect(own.proxy.takeVisits().filter(isDay).map(dayOf)).toEqual([ADDED, RESTATED]);
      expect(await readFiles(mirror)).toEqual(await expectedMirror(own.store, second, 'gold', 'base'));
      await own.end();
    },
    SLOW_MS,
  );

  it(
    'has a date that is withdrawn meanwhile, and then moves it aside; to an older release it does not go back',
    async () => {
      const own = await setOwnScene('second');
      const second = await readCurrent(own.store);
      const terms = { to: first.revision, reason: 'a wrong correction', asOf: '2025-05-02T00:00:00Z' };
      let rolledBack: Promise<ReleaseRecord> | undefined;
      own.proxy.meddle(async (visit, forward) => {
        if (isDay(visit)) {
          rolledBack ??= rollBack(own.store, terms).then(() => untilServed(own));
          await rolledBack;
        }
        return forward();
      });
      expect(await sync(own)).toMatchObject({ code: 0 });
      expect(await readFiles(mirror)).toEqual(await expectedMirror(own.store, second, 'gold', 'base'));
      own.proxy.meddle();
      const third = await untilServed(own);
      const withdrawn = (await readFiles(mirror))[`${ADDED}.json`];
      const later = await sync(own);
      const counts = `${DATES} dates, 1 fetched, 1 restated, 0 repaired, 1 moved aside`;
      expect(later).toMatchObject({ code: 0, stdout: summary(third, counts) });
      expect(later.stderr).toContain(`${RESTATED} is restated: `);
      expect(later.stderr).toMatch(
        new RegExp(`^${ADDED} is withdrawn, .* withdrawn/${ADDED}-[0-9a-f]{16}.json$`, 'm'),
      );
      const complete = await readFiles(mirror);
      expect(complete).toEqual(await expectedMirror(own.store, third, 'gold', 'base'));
      expect(Object.values(await readFiles(path.join(mirror, 'withdrawn')))).toEqual([withdrawn]);
      await own.end();

      const behind = await sync(scene);
      expect(behind).toMatchObject({ code: 1, stdout: expect.stringContaining('incomplete') });
      expect(behind.stderr).toBe(
        'sync: the gateway is at an older release than the mirror; nothing was changed\n',
      );
      expect(await readFiles(mirror)).toEqual(complete);
    },
    SLOW_MS,
  );

  it(
    'that is killed leaves whole files and no manifest, and goes on where it was',
    async () => {
      const child = await killAtDay(scene, 40);
      expect(child).toBe('SIGKILL');
      const expected = await expectedMirror(scene.store, first, 'gold', 'base');
      const held = await readFiles(mirror);
      const days = Object.keys(held).filter((name) => !name.endsWith('.part'));
      expect(days.length).toBeGreaterThanOrEqual(30);
      expect(days.length).toBeLessThan(40);
      for (const name of days) expect([name, held[name]]).toEqual([name, expected[name]]);
      expect(days).not.toContain('manifest.json');
      await writeFile(path.join(mirror, '2025-01-01.json.1.part'), 'half of a fi'); // as a kill within a write would
      const run = await sync(scene);
      expect(run.stdout).toContain(`${DATES} dates, ${DATES - days.length} fetched, 0 restated`);
      expect([run.code, await readFiles(mirror)]).toEqual([0, expected]);
    },
    SLOW_MS,
  );

  it(
    'that is killed while it replaces a date has no manifest.json until it was run again',
    async () => {
      await sync(scene);
      const own = await setOwnScene('second');
      const second = await readCurrent(own.store);
      expect(await killAtDay(own, RESTATED)).toBe('SIGKILL');
      const held = await readFiles(mirror);
      const before = await expectedMirror(scene.store, first, 'gold', 'base');
      const { 'manifest.previous.json': previous, ...rest } = held;
      expect(previous).toBe(before['manifest.json']);
      expect(Object.keys(rest)).not.toContain('manifest.json');
      expect(Object.keys(rest)).toContain(`${ADDED}.json`);
      own.proxy.meddle();
      expect(await sync(own)).toMatchObject({ code: 0 });
      expect(await readFiles(mirror)).toEqual(await expectedMirror(own.store, second, 'gold', 'base'));
      await own.end();
    },
    SLOW_MS,
  );

  /** Runs until so many days or a date are asked for, and kills it then; resolves what it ended by. */
  async function killAtDay({ proxy }: Scene, at: number | string): Promise<NodeJS.Signals | null> {
    let asked = 0;
    const isReached = new Promise<void>((reached) => {
      proxy.meddle((visit, forward) => {
        if (isDay(visit)) asked += 1;
        const isHeld = typeof at === 'number' ? asked >= at : at === dayOf(visit);
        if (!isDay(visit) || !isHeld) return forward();
        reached();
        return new Promise(() => undefined); // never answered
      });
    });
    const child = examples.start(program, argumentsFor(), { gateway: proxy.endpoint, key: release.key });
    const ended = once(child, 'close');
    await isReached;
    child.kill('SIGKILL');
    await ended;
    proxy.meddle();
    return child.signalCode;
  }

  it(
    'accepts no bytes that are cut, altered, too many, or fewer than announced',
    async () => {
      const spoils: ((answer: ProxyAnswer) => ProxyAnswer)[] = [
        (answer) => ({ ...answer, bytes: answer.bytes.subarray(1) }),
        (answer) => ({ ...answer, bytes: answer.bytes.map((byte, i) => (i === 9 ? byte ^ 1 : byte)) }),
        (answer) => ({ ...answer, bytes: Buffer.concat([answer.bytes, Buffer.from(' ')]) }),
        (answer) => ({ ...answer, bytes: answer.bytes.subarray(0, 99), breaksOff: true }),
      ];
      const { dates } = await manifestOf(scene.store, first, 'gold', 'base');
      const spoilt = new Map(dates.slice(3, 3 + spoils.length).map(({ sha256 }, i) => [sha256, spoils[i]]));
      const names = dates.slice(3, 3 + spoils.length).map(({ date }) => date);
      scene.proxy.meddle(async (visit, forward) => {
        const digest = /[0-9a-f]{64}/.exec(visit.url)?.[0] ?? '';
        const spoil = isApi(visit) ? undefined : spoilt.get(digest);
        return spoil === undefined ? forward() : spoil(await forward());
      });
      const run = await sync(scene, '--tries', '2');
      expect(run.code).toBe(1);
      expect(run.stdout).toBe(
        `base gold: incomplete, ${DATES - names.length} of ${DATES} fetched; run again to go on\n`,
      );
      for (const name of names) expect(run.stderr).toContain(`${name}: its `);
      expect(run.stderr).toContain(`sync: ${names.length} of the dates cannot be had`);
      const expected = await expectedMirror(scene.store, first, 'gold', 'base');
      for (const name of ['manifest.json', ...names.map((date) => `${date}.json`)])
        Reflect.deleteProperty(expected, name);
      expect(await readFiles(mirror)).toEqual(expected);
      scene.proxy.meddle();
      expect((await sync(scene)).stdout).toContain(`${DATES} dates, ${names.length} fetched`);
      expect(await readFiles(mirror)).toEqual(await expectedMirror(scene.store, first, 'gold', 'base'));
    },
    SLOW_MS,
  );

  it(
    'waits as long as a 429 says, and gets over what is soon over',
    async () => {
      const askedMs: number[] = [];
      const meddles: { readonly when: (visit: Visit) => boolean; readonly as: Meddler }[] = [
        { when: isManifest, as: () => Promise.resolve(problem(429, 'rate-limited', { 'Retry-After': '2' })) },
        { when: isDay, as: () => Promise.resolve(problem(503, 'store-unavailable', { 'Retry-After': '1' })) },
        { when: isDay, as: () => Promise.resolve(problem(500, 'internal')) },
        { when: isDay, as: () => Promise.reject(new Error('the connection breaks')) },
        { when: isDay, as: async (_, forward) => ({ ...(await forward()), breaksOff: true }) },
        {
          when: isDay,
          as: () => Promise.resolve({ status: 200, headers: {}, bytes: Buffer.from('<html>') }),
        },
        { when: (visit) => !isApi(visit), as: () => Promise.resolve(problem(403, 'link-invalid')) },
        {
          when: (visit) => !isApi(visit),
          as: async (_, forward) => ({ ...(await forward()), breaksOff: true }),
        },
      ];
      scene.proxy.meddle((visit, forward) => {
        if (isManifest(visit)) askedMs.push(performance.now());
        const found = meddles.findIndex(({ when }) => when(visit));
        const [meddle] = found < 0 ? [] : meddles.splice(found, 1);
        return meddle === undefined ? forward() : meddle.as(visit, forward);
      });
      const run = await sync(scene, '--jobs', '8');
      expect(run).toMatchObject({ code: 0, stdout: expect.stringContaining(`${DATES} fetched`) });
      expect(meddles).toEqual([]);
      expect((askedMs[1] ?? 0) - (askedMs[0] ?? 0)).toBeGreaterThanOrEqual(2000);
      expect(await readFiles(mirror)).toEqual(await expectedMirror(scene.store, first, 'gold', 'base'));
    },
    SLOW_MS,
  );

  it(
    'ends with 1 when nothing answers, and when it stays too busy',
    async () => {
      const closed = await startLoopbackServer(() => undefined);
      await closed.dispose();
      const none = { gateway: closed.endpoint, key: release.key };
      const run = await examples.run(program, argumentsFor('--tries', '2'), none);
      expect(run).toMatchObject({ code: 1, stdout: expect.stringContaining('incomplete') });
      expect(run.stderr).toMatch(/^sync: no connection \(.+\)\n$/);
      scene.proxy.meddle(() => Promise.resolve(problem(429, 'rate-limited', { 'Retry-After': '1' })));
      const busy = await sync(scene, '--tries', '2');
      expect(busy).toMatchObject({ code: 1, stderr: 'sync: a sentence (rate-limited)\n' });
      expect(scene.proxy.takeVisits().length).toBe(2);
    },
    SLOW_MS,
  );

  it(
    'is told by 401 and 403 in one sentence, and asks for nothing more',
    async () => {
      const refusals = [
        [`${release.key}x`, 'api-key-invalid'],
        [lesserKey, 'not-entitled'],
      ];
      for (const [key, code = ''] of refusals) {
        const run = await examples.run(program, argumentsFor(), { gateway: scene.proxy.endpoint, key });
        expect(run).toMatchObject({ code: 2, stdout: '' });
        expect(run.stderr).toMatch(new RegExp(`^sync: [^\n]+ \\(${code}\\)\n$`));
        expect(scene.proxy.takeVisits().map(isManifest)).toEqual([true]);
      }
      scene.proxy.meddle((visit, forward) =>
        isDay(visit) ? Promise.resolve(problem(401, 'api-key-invalid')) : forward(),
      );
      const revoked = await sync(scene, '--jobs', '3');
      expect(revoked).toEqual({ code: 2, stdout: '', stderr: 'sync: a sentence (api-key-invalid)\n' });
      expect(scene.proxy.takeVisits().filter(isDay).length).toBeLessThanOrEqual(3 + 3);
    },
    SLOW_MS,
  );

  it(
    'tells the key to no other host: neither by a redirect nor by a link',
    async () => {
      const host = await startObjectHost(scene.store);
      scene.proxy.meddle((visit) =>
        Promise.resolve({
          status: 307,
          headers: { Location: host.endpoint + visit.url },
          bytes: Buffer.of(),
        }),
      );
      const redirected = await sync(scene);
      expect(redirected).toMatchObject({ code: 2, stdout: '' });
      expect(redirected.stderr).toContain(`leads to ${host.endpoint}`);
      expect(host.takeVisits()).toEqual([]);
      scene.proxy.meddle(async (visit, forward) => {
        const answer = await forward();
        const text = Buffer.from(answer.bytes).toString().replaceAll(scene.proxy.endpoint, host.endpoint);
        return isApi(visit) ? { ...answer, bytes: Buffer.from(text) } : answer;
      });
      expect(await sync(scene)).toMatchObject({ code: 0 });
      const visits = host.takeVisits();
      expect(visits.length).toBe(DATES + 1);
      expect(visits.filter((visit) => isTold(visit, release.key))).toEqual([]);
      await host.dispose();
    },
    SLOW_MS,
  );

  it(
    'puts right what was altered in the folder, and leaves what is not its own alone',
    async () => {
      await mkdir(mirror, { recursive: true });
      await writeFile(path.join(mirror, 'notes.txt'), 'mine');
      await writeFile(path.join(mirror, '2024-12-31.json'), '{}');
      await sync(scene);
      await writeFile(path.join(mirror, '2025-01-09.json'), '{}');
      await rm(path.join(mirror, '2025-01-10.json'));
      const run = await sync(scene);
      expect(run).toEqual({
        code: 0,
        stdout: summary(first, `${DATES} dates, 2 fetched, 0 restated, 1 repaired, 0 moved aside`),
        stderr: '2025-01-09 was altered here: it is fetched again\n',
      });
      const expected = await expectedMirror(scene.store, first, 'gold', 'base');
      expect(await readFiles(mirror)).toEqual({ ...expected, 'notes.txt': 'mine' });
      expect(Object.keys(await readFiles(path.join(mirror, 'withdrawn')))).toEqual([
        expect.stringMatching(/^2024-12-31-[0-9a-f]{16}\.json$/),
      ]);
    },
    SLOW_MS,
  );

  it(
    'refuses wrong usage with 2 before it asks or writes anything',
    async () => {
      const wrong = [
        ['--chain', 'base', '--genre', 'gold'],
        ['--chain', '../base', '--genre', 'gold', '--to', to],
        argumentsFor('--gateway', 'ftp://127.0.0.1'),
        argumentsFor('--gateway', 'http://127.0.0.1.example.com'),
        argumentsFor('--jobs', '0'),
        argumentsFor('--key', 'crd_test'),
      ];
      for (const args of wrong) {
        expect(await examples.run(program, args, termsOf(scene))).toMatchObject({ code: 2, stdout: '' });
      }
      const keyless = { gateway: scene.proxy.endpoint };
      expect(await examples.run(program, argumentsFor(), keyless)).toEqual({
        code: 2,
        stdout: '',
        stderr: 'sync: the variable API_KEY has no key\n',
      });
      expect([scene.proxy.takeVisits(), await readFiles(mirror)]).toEqual([[], {}]);
    },
    SLOW_MS,
  );
});

function problem(status: number, code: string, headers: Record<string, string> = {}): ProxyAnswer {
  const type = { 'Content-Type': 'application/problem+json' };
  const bytes = Buffer.from(JSON.stringify({ status, code, detail: 'a sentence' }));
  return { status, headers: { ...type, ...headers }, bytes };
}
