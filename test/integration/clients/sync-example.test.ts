import { once } from 'node:events';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { sha256Hex } from '../../../schemas/digest.js';
import { FILES_PATH, manifestPath } from '../../../schemas/paths.js';
import { manifestOf } from '../../support/clients/mirrors.js';
import {
  createSyncRunner,
  createSyncScenario,
  isApi,
  isManifest,
  waitUntilServed,
  type SyncRunner,
  type SyncScenario,
  type SyncServer,
} from '../../support/clients/sync-scenario.js';
import { readCurrent } from '../../support/release/read-release.js';

const INSTALL_MS = 300_000;
const SLOW_MS = 300_000;
const EXAMPLE = 'sync.ts';
const ARCHIVE = `${FILES_PATH}/gold/base/`;

let scenario: SyncScenario;
/** Serves the first release. */
let server: SyncServer;
let mirror: string;
let argumentsFor: SyncRunner['argumentsFor'];
let sync: SyncRunner['run'];
beforeAll(async () => {
  scenario = await createSyncScenario();
  ({ server } = scenario);
}, INSTALL_MS);
beforeEach(() => ({ mirror, argumentsFor, run: sync } = createSyncRunner(scenario, EXAMPLE)));
afterEach(() => {
  server.proxy.inject();
  server.proxy.takeRequests();
});
afterAll(() => scenario.dispose(), SLOW_MS);

/** Returns the digests of the files of a complete mirror by name: volumes, later days and the manifest. */
async function expectedFiles({ store }: SyncServer): Promise<Map<string, string>> {
  const record = await readCurrent(store);
  const { volumes = [], dates } = await manifestOf(store, record, 'gold', 'base');
  const later = dates.filter(({ date }) => date > (volumes.at(-1)?.last_date ?? ''));
  const listed = [...volumes.map(({ parquet }) => parquet), ...later];
  expect([volumes.length > 1, later.length > 1]).toEqual([true, true]);
  const manifest = record.manifests[manifestPath('gold', 'base')]?.sha256 ?? '';
  return new Map([
    ...listed.map((each) => [each.path.replace(ARCHIVE, ''), each.sha256] as const),
    ['manifest.json', manifest],
  ]);
}

/** Returns the digests of the files of the mirror by name. */
async function foundFiles(): Promise<Map<string, string>> {
  const entries = await readdir(mirror, { recursive: true, withFileTypes: true });
  const files = entries.filter((each) => each.isFile()).map((each) => path.join(each.parentPath, each.name));
  const digests = files.map(
    async (file) => [path.relative(mirror, file), sha256Hex(await readFile(file))] as const,
  );
  return new Map(await Promise.all(digests));
}

describe(EXAMPLE, () => {
  it(
    'mirrors volumes and later days byte for byte, and then fetches only what changed',
    async () => {
      const own = await scenario.startServer('first');
      const expected = await expectedFiles(own);
      const count = expected.size - 1;
      const run = await sync(own);
      expect(run).toMatchObject({ code: 0, stderr: '' });
      expect(run.stdout).toContain(`${count} files, ${count} fetched`);
      expect(await foundFiles()).toEqual(expected);
      own.proxy.takeRequests();
      await writeFile(path.join(mirror, 'volumes/2025-01.parquet'), 'changed');
      expect((await sync(own)).stdout).toContain(`${count} files, 1 fetched`);
      expect(
        own.proxy
          .takeRequests()
          .filter(isApi)
          .map(({ url }) => url.replace(ARCHIVE, '')),
      ).toEqual(['manifest.json?redirect=false', 'volumes/2025-01.parquet?redirect=false']);
      await scenario.publishSecond(own.root);
      await waitUntilServed(own);
      expect(await sync(own)).toMatchObject({ code: 0, stdout: expect.stringContaining('2 fetched') }); // one restated, one new
      expect(await foundFiles()).toEqual(await expectedFiles(own));
      await own.stop();
    },
    SLOW_MS,
  );

  it(
    'leaves complete files and no manifest when it is killed, and continues in the next run',
    async () => {
      let files = 0;
      const isReached = new Promise<void>((reached) => {
        server.proxy.inject((request, forward) => {
          if (isApi(request) || (files += 1) < 10) return forward();
          reached();
          return new Promise(() => undefined); // no answer
        });
      });
      const child = scenario.examples.start(EXAMPLE, argumentsFor(), {
        gateway: server.proxy.endpoint,
        key: scenario.release.key,
      });
      const ended = once(child, 'close');
      await isReached;
      child.kill('SIGKILL');
      await ended;
      server.proxy.inject();
      const expected = await expectedFiles(server);
      const found = [...(await foundFiles())].filter(([name]) => !name.endsWith('.part'));
      expect(found).toHaveLength(8); // the first of ten files was the manifest, and the last did not arrive
      for (const [name, digest] of found) expect([name, digest]).toEqual([name, expected.get(name)]);
      expect(found.map(([name]) => name)).not.toContain('manifest.json');
      await writeFile(path.join(mirror, '2025-04-29.json.part'), 'half of a fi'); // as after a kill during a write
      expect((await sync(server)).stdout).toContain(`${expected.size - 1 - found.length} fetched`);
      expect(await foundFiles()).toEqual(expected);
    },
    SLOW_MS,
  );

  it(
    'refuses a damaged volume by its digest',
    async () => {
      const digest = (await expectedFiles(server)).get('volumes/2025-02.parquet') ?? '';
      server.proxy.inject(async (request, forward) => {
        const answer = await forward();
        if (isApi(request) || !request.url.includes(digest)) return answer;
        return { ...answer, bytes: answer.bytes.map((byte, i) => (i === 9 ? byte ^ 1 : byte)) };
      });
      const run = await sync(server);
      expect(run).toMatchObject({ code: 1, stdout: '' });
      expect(run.stderr).toContain(`${ARCHIVE}volumes/2025-02.parquet was damaged in transit`);
      expect([...(await foundFiles()).keys()]).toEqual(['volumes/2025-01.parquet']);
    },
    SLOW_MS,
  );

  it(
    'waits as long as a 429 says',
    async () => {
      const askedMs: number[] = [];
      const bytes = Buffer.from('{}');
      server.proxy.inject((request, forward) => {
        if (!isManifest(request)) return forward();
        askedMs.push(performance.now());
        if (askedMs.length > 1) return forward();
        return Promise.resolve({ status: 429, headers: { 'Retry-After': '2' }, bytes });
      });
      expect(await sync(server)).toMatchObject({ code: 0 });
      expect((askedMs[1] ?? 0) - (askedMs[0] ?? 0)).toBeGreaterThanOrEqual(1990);
    },
    SLOW_MS,
  );
});
