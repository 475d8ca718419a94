import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { GENRES } from '../../../schemas/catalog.js';
import { manifestPath, TRUST_PATHS } from '../../../schemas/paths.js';
import type { ReleaseRecord } from '../../../schemas/types.generated.js';
import { expectedMirror, readFiles } from '../../support/clients/mirrors.js';
import {
  ADDED,
  createSyncRunner,
  createSyncScenario,
  DATE_COUNT,
  dayOf,
  isDay,
  RESTATED,
  SYNC_COMMAND,
  waitUntilServed,
  type SyncRunner,
  type SyncScenario,
  type SyncServer,
} from '../../support/clients/sync-scenario.js';
import { rollBack } from '../../support/release/operate.js';
import { readCurrent } from '../../support/release/read-release.js';

const INSTALL_MS = 300_000;
const SLOW_MS = 300_000;

let scenario: SyncScenario;
/** Serves the first release. */
let server: SyncServer;
let first: ReleaseRecord;
beforeAll(async () => {
  scenario = await createSyncScenario();
  ({ server, first } = scenario);
}, INSTALL_MS);
afterEach(() => {
  server.proxy.inject();
  server.proxy.takeRequests();
});
afterAll(() => scenario.dispose(), SLOW_MS);

describe(SYNC_COMMAND, () => {
  let to: string;
  let mirror: string;
  let argumentsFor: SyncRunner['argumentsFor'];
  let sync: SyncRunner['run'];
  beforeEach(() => {
    ({ to, mirror, argumentsFor, run: sync } = createSyncRunner(scenario, SYNC_COMMAND));
  });
  const summary = (record: ReleaseRecord, rest: string): string =>
    `base gold at ${record.revision}: ${rest}\n`;

  it(
    'mirrors each genre byte for byte, and fetches nothing the second time',
    async () => {
      for (const genre of GENRES) {
        const args = ['--chain', 'base', '--genre', genre, '--to', to, '--jobs', '8'];
        const run = await scenario.examples.run(SYNC_COMMAND, args, {
          gateway: server.proxy.endpoint,
          key: scenario.release.key,
        });
        const counts = `${DATE_COUNT} dates, ${DATE_COUNT} fetched, 0 restated, 0 repaired, 0 moved aside`;
        expect(run).toEqual({
          code: 0,
          stdout: `base ${genre} at ${first.revision}: ${counts}\n`,
          stderr: `base ${genre}: 100 of ${DATE_COUNT} fetched\n`,
        });
        expect(await readFiles(path.join(to, genre, 'base'))).toEqual(
          await expectedMirror(server.store, first, genre, 'base'),
        );
      }
      server.proxy.takeRequests();
      const again = await sync(server);
      const counts = `${DATE_COUNT} dates, 0 fetched, 0 restated, 0 repaired, 0 moved aside`;
      expect(again).toEqual({ code: 0, stdout: summary(first, counts), stderr: '' });
      const requested = server.proxy.takeRequests().map(({ url }) => url.replace(/\?.*/, ''));
      const manifest = manifestPath('gold', 'base'); // answered by 304: no object was fetched
      expect(requested).toEqual([manifest, TRUST_PATHS.keys]); // the site has no key set: it is not signed
    },
    SLOW_MS,
  );

  it(
    'mirrors one release when another is published during the run, and fetches the changes in the next run',
    async () => {
      const own = await scenario.startServer('first');
      let published: Promise<ReleaseRecord> | undefined;
      own.proxy.inject(async (request, forward) => {
        if (isDay(request))
          await (published ??= scenario.publishSecond(own.root).then(() => waitUntilServed(own)));
        return forward();
      });
      const run = await sync(own);
      const second = await waitUntilServed(own);
      expect(published).toBeDefined();
      expect(second.sequence).toBe(first.sequence + 1);
      expect([run.code, await readFiles(mirror)]).toEqual([
        0,
        await expectedMirror(own.store, first, 'gold', 'base'),
      ]);
      own.proxy.inject();
      own.proxy.takeRequests();
      const later = await sync(own);
      const counts = `${DATE_COUNT + 1} dates, 2 fetched, 1 restated, 0 repaired, 0 moved aside`;
      expect(later).toEqual({
        code: 0,
        stdout: summary(second, counts),
        stderr: `${RESTATED} is restated: upstream corrected a count\n`,
      });
      expect(own.proxy.takeRequests().filter(isDay).map(dayOf)).toEqual([ADDED, RESTATED]);
      expect(await readFiles(mirror)).toEqual(await expectedMirror(own.store, second, 'gold', 'base'));
      await own.stop();
    },
    SLOW_MS,
  );

  it(
    'moves a withdrawn date aside in the next run, and does not go back to an older release',
    async () => {
      const own = await scenario.startServer('second');
      const second = await readCurrent(own.store);
      const options = { to: first.revision, reason: 'a wrong correction', asOf: '2025-05-02T00:00:00Z' };
      let rolledBack: Promise<ReleaseRecord> | undefined;
      own.proxy.inject(async (request, forward) => {
        if (isDay(request)) {
          rolledBack ??= rollBack(own.store, options).then(() => waitUntilServed(own));
          await rolledBack;
        }
        return forward();
      });
      expect(await sync(own)).toMatchObject({ code: 0 });
      expect(await readFiles(mirror)).toEqual(await expectedMirror(own.store, second, 'gold', 'base'));
      own.proxy.inject();
      const third = await waitUntilServed(own);
      const withdrawn = (await readFiles(mirror))[`${ADDED}.json`];
      const later = await sync(own);
      const counts = `${DATE_COUNT} dates, 1 fetched, 1 restated, 0 repaired, 1 moved aside`;
      expect(later).toMatchObject({ code: 0, stdout: summary(third, counts) });
      expect(later.stderr).toContain(`${RESTATED} is restated: `);
      expect(later.stderr).toMatch(
        new RegExp(`^${ADDED} is withdrawn or not listed: .* withdrawn/${ADDED}-[0-9a-f]{16}.json$`, 'm'),
      );
      const complete = await readFiles(mirror);
      expect(complete).toEqual(await expectedMirror(own.store, third, 'gold', 'base'));
      expect(Object.values(await readFiles(path.join(mirror, 'withdrawn')))).toEqual([withdrawn]);
      await own.stop();

      const behind = await sync(server);
      expect(behind).toMatchObject({ code: 1, stdout: expect.stringContaining('incomplete') });
      expect(behind.stderr).toBe(
        'sync: the gateway serves an older release than the mirror; nothing was changed\n',
      );
      expect(await readFiles(mirror)).toEqual(complete);
    },
    SLOW_MS,
  );

  it(
    'leaves complete files and no manifest when it is killed, and resumes in the next run',
    async () => {
      const child = await killAtDay(server, 40);
      expect(child).toBe('SIGKILL');
      const expected = await expectedMirror(server.store, first, 'gold', 'base');
      const files = await readFiles(mirror);
      const days = Object.keys(files).filter((name) => !name.endsWith('.part'));
      expect(days.length).toBeGreaterThanOrEqual(30); // of the 40, up to four were in progress
      expect(days.length).toBeLessThan(40);
      for (const name of days) expect([name, files[name]]).toEqual([name, expected[name]]);
      expect(days).not.toContain('manifest.json');
      await writeFile(path.join(mirror, '2025-01-01.json.1.part'), 'half of a fi'); // as after a kill during a write
      const run = await sync(server);
      expect(run.stdout).toContain(`${DATE_COUNT} dates, ${DATE_COUNT - days.length} fetched, 0 restated`);
      expect([run.code, await readFiles(mirror)]).toEqual([0, expected]);
    },
    SLOW_MS,
  );

  it(
    'leaves no manifest.json when it is killed while it replaces a date, until it runs again',
    async () => {
      await sync(server);
      const own = await scenario.startServer('second');
      const second = await readCurrent(own.store);
      expect(await killAtDay(own, RESTATED)).toBe('SIGKILL');
      const files = await readFiles(mirror);
      const before = await expectedMirror(server.store, first, 'gold', 'base');
      const { 'manifest.previous.json': previous, ...rest } = files;
      expect(previous).toBe(before['manifest.json']);
      expect(Object.keys(rest)).not.toContain('manifest.json');
      expect(Object.keys(rest)).toContain(`${ADDED}.json`);
      own.proxy.inject();
      expect(await sync(own)).toMatchObject({ code: 0 });
      expect(await readFiles(mirror)).toEqual(await expectedMirror(own.store, second, 'gold', 'base'));
      await own.stop();
    },
    SLOW_MS,
  );

  /** Kills a run when it has requested that many days or a date. Returns the signal that ended it. */
  async function killAtDay({ proxy }: SyncServer, at: number | string): Promise<NodeJS.Signals | null> {
    let dayRequests = 0;
    const isReached = new Promise<void>((reached) => {
      proxy.inject((request, forward) => {
        if (isDay(request)) dayRequests += 1;
        const isTarget = typeof at === 'number' ? dayRequests >= at : at === dayOf(request);
        if (!isDay(request) || !isTarget) return forward();
        reached();
        return new Promise(() => undefined); // no answer
      });
    });
    const child = scenario.examples.start(SYNC_COMMAND, argumentsFor(), {
      gateway: proxy.endpoint,
      key: scenario.release.key,
    });
    const ended = once(child, 'close');
    await isReached;
    child.kill('SIGKILL');
    await ended;
    proxy.inject();
    return child.signalCode;
  }
});
