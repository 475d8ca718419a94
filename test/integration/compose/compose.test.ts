import { createHash } from 'node:crypto';
import { cp, rm } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ENDPOINTS, PUBLIC_PATHS, bundlePath } from '../../../schemas/paths.js';
import { createComposeScene, type ComposeScene } from '../../support/compose/compose-scene.js';
import { runDockerCompose } from '../../support/compose/compose-services.js';
import type { LocalProcess } from '../../support/compose/local-container.js';
import { unpackDebianPackages } from '../../support/compose/debian-packages.js';
import { startLoopbackServer, type LoopbackServer } from '../../support/process/loopback-server.js';
import { assertSuccess, type ProgramRun } from '../../support/process/run-program.js';

const SLOW_MS = 300_000;
const SITE = 'https://localhost';
const BUNDLE = SITE + bundlePath('gold', 'base', '7d');
const packages = unpackDebianPackages();
let heartbeats: LoopbackServer;
const beats: string[] = [];
let scene: ComposeScene;
let gateway: LocalProcess;

beforeAll(async () => {
  heartbeats = await startLoopbackServer(({ url = '' }, res) => {
    beats.push(url);
    res.end();
  });
  scene = await createComposeScene(packages, {
    '.env': {
      PUBLISH_HEARTBEAT_URL: `${heartbeats.endpoint}/publish`,
      UPKEEP_HEARTBEAT_URL: `${heartbeats.endpoint}/upkeep`,
      ACCOUNTS_HEARTBEAT_URL: `${heartbeats.endpoint}/accounts`,
    },
  });
}, SLOW_MS);
afterAll(async () => {
  await scene.dispose();
  await heartbeats.dispose();
}, SLOW_MS);

const runLine = async (text: string): Promise<ProgramRun> => assertSuccess(await scene.runLine(text), text);

describe('compose.yaml', () => {
  it('is understood by docker-compose, in which each service is confined, limited and checked', () => {
    const { caddy, ...programs } = scene.services;
    expect(Object.keys(programs).sort()).toEqual(['accounts', 'gateway', 'publish', 'upkeep']);
    for (const service of Object.values(scene.services))
      expect(service).toMatchObject({
        restart: 'unless-stopped',
        user: '1000:1000',
        read_only: true,
        cap_drop: ['ALL'],
        security_opt: ['no-new-privileges:true'],
        pids_limit: expect.any(Number) as number,
        mem_limit: expect.any(String) as string,
        logging: { driver: 'json-file', options: { 'max-size': '10m', 'max-file': '10' } },
      });
    for (const { image } of Object.values(programs))
      expect(image).toMatch(/^chain-reference-data:[0-9a-f]{40}$/);
    for (const name of ['publish', 'upkeep', 'accounts'])
      expect(programs[name]?.healthcheck?.test[0]).toBe('CMD-SHELL'); // instead of the gateway's, which the image has
    expect(caddy?.['cap_add']).toEqual(['NET_BIND_SERVICE']);
  });

  it('publishes two ports, and that for operators only to this machine', () => {
    const ports = Object.values(scene.services).flatMap(({ ports = [] }) => ports);
    expect(ports).toEqual([
      { published: 80, target: 8080 },
      { published: 443, target: 8443 },
      '127.0.0.1:9090:9090/tcp',
    ]);
  });

  it('gives the gateway no key of the generator, and the generator none of the gateway', () => {
    const secretsOf = (name: string): string[] =>
      (scene.services[name]?.volumes ?? []).filter((each) => each.includes('/secrets'));
    const at = (program: string): string[] => [`${scene.data}/secrets/${program}:/run/secrets:ro`];
    for (const name of ['gateway', 'accounts'])
      expect([name, secretsOf(name)]).toEqual([name, at('gateway')]);
    for (const name of ['publish', 'upkeep'])
      expect([name, secretsOf(name)]).toEqual([name, at('generator')]);
    expect(scene.services['gateway']?.volumes).toContain(`${scene.data}/store:/data/store:ro`);
  });

  it('says what is missing in .env', async () => {
    const project = path.join(scene.data, 'incomplete');
    await cp(scene.project, project, { recursive: true });
    for (const file of ['.env', 'gateway.env', 'generator.env'])
      await cp(path.join('infra/compose', `${file}.example`), path.join(project, file));
    const { code, stderr } = await runDockerCompose(packages, project, ['config', '--quiet']);
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/\{(CADDY|BASE)_IMAGE|SOURCE_COMMIT.*see \.env/),
    ]);
  });
});

describe('a machine', () => {
  it(
    'publishes the first release with the commands of the README, and Caddy accepts its file',
    async () => {
      await runLine('first');
      const caddy = await scene.container('caddy');
      const file = ['--config', '/etc/caddy/Caddyfile', '--adapter', 'caddyfile'];
      expect(await caddy.run('caddy', 'validate', ...file)).toMatchObject({ code: 0 });
      gateway = await scene.start('gateway');
      await scene.start('caddy');
      expect((await runLine('gateway doctor')).stdout).toContain('release');
    },
    SLOW_MS,
  );

  it('redirects to TLS, and serves public files with the headers of the gateway', async () => {
    const plain = await fetch(`${scene.plainUrl}/pricing?x=1`, {
      redirect: 'manual',
      headers: { Host: 'localhost' },
    });
    expect([plain.status, plain.headers.get('location')]).toEqual([308, expect.stringMatching(/^https:/)]);
    const { status, headers } = await scene.request(SITE + PUBLIC_PATHS.status);
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'content-type': 'application/json',
      'strict-transport-security': expect.stringContaining('max-age=') as string,
      etag: expect.any(String) as string,
    });
    expect((await scene.request(SITE + PUBLIC_PATHS.openapi)).headers).toMatchObject({
      'content-length': expect.stringMatching(/^\d+$/) as string, // Caddy neither compresses nor unpacks
      etag: expect.stringMatching(/^"/) as string,
    });
    expect(headers['server']).toBeUndefined();
    expect(headers['alt-svc']).toBeUndefined();
    expect((await scene.request(`${SITE}/`)).headers['content-type']).toBe('text/html; charset=utf-8');
  });

  it('lets a subscriber download a file by a link, with the key that the README creates', async () => {
    await runLine('gateway grant');
    const key = (await runLine('keys create')).stdout.trim();
    const { status, headers } = await scene.request(BUNDLE, { headers: { 'X-API-Key': key } });
    const link = headers.location ?? '';
    expect([status, link]).toEqual([307, expect.stringMatching(/^https:\/\/localhost\/_objects\//)]);
    const file = await scene.request(link);
    expect([file.status, createHash('sha256').update(file.body).digest('hex')]).toEqual([
      200,
      headers['x-content-sha256'],
    ]);
    expect((await scene.request(BUNDLE)).status).toBe(401);
  });

  it.each([ENDPOINTS.metrics, ENDPOINTS.freshness])('hides %s', async (hidden) => {
    expect((await scene.request(SITE + hidden)).status).toBe(404);
  });

  it('counts requests by the address of the client, whatever the client writes into X-Forwarded-For', async () => {
    const remaining = async (from: string, forwarded: string): Promise<number> => {
      const answer = await scene.request(BUNDLE, { from, headers: { 'X-Forwarded-For': forwarded } });
      return Number(/r=(\d+)/.exec(String(answer.headers['ratelimit']))?.[1]);
    };
    const first = await remaining('127.0.0.2', '203.0.113.1');
    expect(await remaining('127.0.0.2', '203.0.113.2')).toBe(first - 1);
    expect(await remaining('127.0.0.3', '203.0.113.2')).toBe(first);
  });

  it(
    'lets requests wait while the gateway restarts, and answers with a problem if it does not come back',
    async () => {
      await gateway.stop();
      const waiting = scene.request(SITE + PUBLIC_PATHS.status);
      gateway = await scene.start('gateway');
      expect((await waiting).status).toBe(200);
      await gateway.stop();
      const { status, headers, body } = await scene.request(SITE + PUBLIC_PATHS.status);
      expect([status, headers['content-type']]).toEqual([502, 'application/problem+json']);
      expect(JSON.parse(body.toString())).toEqual({ type: 'about:blank', title: 'Bad Gateway', status: 502 });
    },
    SLOW_MS,
  );
});

describe('the timer', () => {
  it.each(['publish', 'upkeep', 'accounts'])(
    '%s is healthy and sends a heartbeat after its first run, and ends at once',
    async (name) => {
      beats.length = 0;
      expect(await (await scene.container(name)).check()).toMatchObject({ code: 1 });
      const timer = await scene.start(name);
      expect(await timer.stop()).toBe(143);
      expect(beats).toEqual([`/${name}`]);
    },
    SLOW_MS,
  );

  it(
    'publish fails if its sources do, publishes all the same, and tries again within an hour without a heartbeat',
    async () => {
      beats.length = 0;
      const publish = await scene.container('publish');
      await rm(path.join(scene.data, 'config/sources.policy.json'));
      const timer = publish.start();
      while (!timer.output().includes('timer: publish failed with 2')) await sleep(100);
      expect(timer.output()).toMatch(/^unchanged/m);
      await timer.stop();
      expect(beats).toEqual([]);
    },
    SLOW_MS,
  );
});
