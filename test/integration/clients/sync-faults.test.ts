import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { ReleaseRecord } from '../../../schemas/types.generated.js';
import { expectedMirror, manifestOf, readFiles } from '../../support/clients/mirrors.js';
import {
  createSyncRunner,
  createSyncScenario,
  DATE_COUNT,
  isApi,
  isDay,
  isManifest,
  SYNC_COMMAND,
  type SyncRunner,
  type SyncScenario,
  type SyncServer,
} from '../../support/clients/sync-scenario.js';
import { runGatewayProcess } from '../../support/gateway/gateway-process.js';
import type { Fault, ProxyAnswer } from '../../support/process/faulty-proxy.js';
import { startLoopbackServer } from '../../support/process/loopback-server.js';
import { hasSecret, startObjectHost, type RecordedRequest } from '../../support/s3/object-host.js';

const INSTALL_MS = 300_000;
const SLOW_MS = 300_000;

const hostOf = ({ proxy }: SyncServer): string => new URL(proxy.endpoint).host;

let scenario: SyncScenario;
/** Serves the first release. */
let server: SyncServer;
let first: ReleaseRecord;
/** The key of an account that must not read archives. */
let singleChainKey: string;
beforeAll(async () => {
  scenario = await createSyncScenario();
  ({ server, first } = scenario);
  const { env } = scenario.release;
  const account = ['--account', 'a-lesser-reader'];
  const grant = ['--plan', 'single-chain', '--chain', 'base', '--until', '2999-12-31', '--reason', 'a test'];
  await runGatewayProcess(['grant', ...account, ...grant], env);
  singleChainKey = (await runGatewayProcess(['keys', 'create', ...account], env)).stdout.trim();
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
    'rejects files that are truncated, altered, too long, or shorter than announced',
    async () => {
      const damages: ((answer: ProxyAnswer) => ProxyAnswer)[] = [
        (answer) => ({ ...answer, bytes: answer.bytes.subarray(1) }),
        (answer) => ({ ...answer, bytes: answer.bytes.map((byte, i) => (i === 9 ? byte ^ 1 : byte)) }),
        (answer) => ({ ...answer, bytes: Buffer.concat([answer.bytes, Buffer.from(' ')]) }),
        (answer) => ({ ...answer, bytes: answer.bytes.subarray(0, 99), breaksOff: true }),
      ];
      const { dates } = await manifestOf(server.store, first, 'gold', 'base');
      const damaged = new Map(
        dates.slice(3, 3 + damages.length).map(({ sha256 }, i) => [sha256, damages[i]]),
      );
      const names = dates.slice(3, 3 + damages.length).map(({ date }) => date);
      server.proxy.inject(async (request, forward) => {
        const digest = /[0-9a-f]{64}/.exec(request.url)?.[0] ?? '';
        const damage = isApi(request) ? undefined : damaged.get(digest);
        return damage === undefined ? forward() : damage(await forward());
      });
      const run = await sync(server, '--tries', '2');
      expect(run.code).toBe(1);
      expect(run.stdout).toBe(
        `base gold: incomplete, ${DATE_COUNT - names.length} of ${DATE_COUNT} fetched; run again to continue\n`,
      );
      for (const name of names) expect(run.stderr).toContain(`${name}: its `);
      expect(run.stderr).toContain(`sync: ${names.length} dates could not be fetched`);
      const expected = await expectedMirror(server.store, first, 'gold', 'base');
      for (const name of ['manifest.json', ...names.map((date) => `${date}.json`)])
        Reflect.deleteProperty(expected, name);
      expect(await readFiles(mirror)).toEqual(expected);
      server.proxy.inject();
      expect((await sync(server)).stdout).toContain(`${DATE_COUNT} dates, ${names.length} fetched`);
      expect(await readFiles(mirror)).toEqual(await expectedMirror(server.store, first, 'gold', 'base'));
    },
    SLOW_MS,
  );

  it(
    'waits as long as a 429 says, and retries after temporary failures',
    async () => {
      const askedMs: number[] = [];
      const faults: { readonly when: (request: RecordedRequest) => boolean; readonly as: Fault }[] = [
        { when: isManifest, as: () => Promise.resolve(problem(429, 'rate-limited', { 'Retry-After': '2' })) },
        { when: isDay, as: () => Promise.resolve(problem(503, 'store-unavailable', { 'Retry-After': '1' })) },
        { when: isDay, as: () => Promise.resolve(problem(500, 'internal')) },
        { when: isDay, as: () => Promise.reject(new Error('the connection breaks')) },
        { when: isDay, as: async (_, forward) => ({ ...(await forward()), breaksOff: true }) },
        {
          when: isDay,
          as: () => Promise.resolve({ status: 200, headers: {}, bytes: Buffer.from('<html>') }),
        },
        { when: (request) => !isApi(request), as: () => Promise.resolve(problem(403, 'link-invalid')) },
        {
          when: (request) => !isApi(request),
          as: async (_, forward) => ({ ...(await forward()), breaksOff: true }),
        },
      ];
      server.proxy.inject((request, forward) => {
        if (isManifest(request)) askedMs.push(performance.now());
        const found = faults.findIndex(({ when }) => when(request));
        const [fault] = found < 0 ? [] : faults.splice(found, 1);
        return fault === undefined ? forward() : fault.as(request, forward);
      });
      const run = await sync(server, '--jobs', '8');
      expect(run).toMatchObject({ code: 0, stdout: expect.stringContaining(`${DATE_COUNT} fetched`) });
      expect(faults).toEqual([]);
      expect((askedMs[1] ?? 0) - (askedMs[0] ?? 0)).toBeGreaterThanOrEqual(2000);
      expect(await readFiles(mirror)).toEqual(await expectedMirror(server.store, first, 'gold', 'base'));
    },
    SLOW_MS,
  );

  it(
    'exits 1 when nothing answers, and when the gateway stays too busy',
    async () => {
      const closed = await startLoopbackServer(() => undefined);
      await closed.dispose();
      const nowhere = { gateway: closed.endpoint, key: scenario.release.key };
      const run = await scenario.examples.run(SYNC_COMMAND, argumentsFor('--tries', '2'), nowhere);
      expect(run).toMatchObject({ code: 1, stdout: expect.stringContaining('incomplete') });
      expect(run.stderr).toMatch(/^sync: no connection \(.+\)\n$/);
      server.proxy.inject(() => Promise.resolve(problem(429, 'rate-limited', { 'Retry-After': '1' })));
      const busy = await sync(server, '--tries', '2');
      expect(busy).toMatchObject({ code: 1, stderr: `sync: ${hostOf(server)}: a sentence (rate-limited)\n` });
      expect(server.proxy.takeRequests().length).toBe(2);
    },
    SLOW_MS,
  );

  it(
    'reports 401 and 403 in one sentence, and stops',
    async () => {
      const refusals = [
        [`${scenario.release.key}x`, 'api-key-invalid'],
        [singleChainKey, 'not-entitled'],
      ];
      for (const [key, code = ''] of refusals) {
        const run = await scenario.examples.run(SYNC_COMMAND, argumentsFor(), {
          gateway: server.proxy.endpoint,
          key,
        });
        expect(run).toMatchObject({ code: 2, stdout: '' });
        expect(run.stderr).toMatch(new RegExp(`^sync: [^\n]+ \\(${code}\\)\n$`));
        expect(server.proxy.takeRequests().map(isManifest)).toEqual([true]);
      }
      server.proxy.inject((request, forward) =>
        isDay(request) ? Promise.resolve(problem(401, 'api-key-invalid')) : forward(),
      );
      const revoked = await sync(server, '--jobs', '3');
      const stderr = `sync: ${hostOf(server)}: a sentence (api-key-invalid)\n`;
      expect(revoked).toEqual({ code: 2, stdout: '', stderr });
      expect(server.proxy.takeRequests().filter(isDay).length).toBeLessThanOrEqual(3 + 3); // each job: the request that was refused, and one more
    },
    SLOW_MS,
  );

  it(
    'sends the key to no other host, neither after a redirect nor with a link',
    async () => {
      const host = await startObjectHost(server.store);
      server.proxy.inject((request) =>
        Promise.resolve({
          status: 307,
          headers: { Location: host.endpoint + request.url },
          bytes: Buffer.of(),
        }),
      );
      const redirected = await sync(server);
      expect(redirected).toMatchObject({ code: 2, stdout: '' });
      expect(redirected.stderr).toContain(`redirects to ${host.endpoint}`);
      expect(host.takeRequests()).toEqual([]);
      server.proxy.inject(async (request, forward) => {
        const answer = await forward();
        const text = Buffer.from(answer.bytes).toString().replaceAll(server.proxy.endpoint, host.endpoint);
        return isApi(request) ? { ...answer, bytes: Buffer.from(text) } : answer;
      });
      expect(await sync(server)).toMatchObject({ code: 0 });
      const requests = host.takeRequests();
      expect(requests.length).toBe(DATE_COUNT + 1);
      expect(requests.filter((request) => hasSecret(request, scenario.release.key))).toEqual([]);
      await host.dispose();
    },
    SLOW_MS,
  );

  it(
    'repairs altered files in the folder, and keeps files that it did not write',
    async () => {
      await mkdir(mirror, { recursive: true });
      await writeFile(path.join(mirror, 'notes.txt'), 'mine');
      await writeFile(path.join(mirror, '2024-12-31.json'), '{}');
      await sync(server);
      await writeFile(path.join(mirror, '2025-01-09.json'), '{}');
      await rm(path.join(mirror, '2025-01-10.json'));
      const run = await sync(server);
      expect(run).toEqual({
        code: 0,
        stdout: summary(first, `${DATE_COUNT} dates, 2 fetched, 0 restated, 1 repaired, 0 moved aside`),
        stderr: '2025-01-09 was changed locally: fetching it again\n',
      });
      const expected = await expectedMirror(server.store, first, 'gold', 'base');
      expect(await readFiles(mirror)).toEqual({ ...expected, 'notes.txt': 'mine' });
      expect(Object.keys(await readFiles(path.join(mirror, 'withdrawn')))).toEqual([
        expect.stringMatching(/^2024-12-31-[0-9a-f]{16}\.json$/),
      ]);
    },
    SLOW_MS,
  );

  it(
    'exits 2 on wrong usage before it requests or writes anything',
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
        expect(
          await scenario.examples.run(SYNC_COMMAND, args, {
            gateway: server.proxy.endpoint,
            key: scenario.release.key,
          }),
        ).toMatchObject({ code: 2, stdout: '' });
      }
      const keyless = { gateway: server.proxy.endpoint };
      const run = await scenario.examples.run(SYNC_COMMAND, argumentsFor(), keyless);
      expect(run).toMatchObject({ code: 2, stdout: '' });
      expect(run.stderr).toMatch(
        /^sync: No API key is set\. Create one at http\S+\/account, and set CRD_API_KEY before/,
      );
      expect([server.proxy.takeRequests(), await readFiles(mirror)]).toEqual([[], {}]);
    },
    SLOW_MS,
  );
});

function problem(status: number, code: string, headers: Record<string, string> = {}): ProxyAnswer {
  const type = { 'Content-Type': 'application/problem+json' };
  const bytes = Buffer.from(JSON.stringify({ status, code, detail: 'a sentence' }));
  return { status, headers: { ...type, ...headers }, bytes };
}
