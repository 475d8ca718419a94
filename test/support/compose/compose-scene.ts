import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { addDays, wholeDaysBetween } from '../../../schemas/dates.js';
import { assertSuccess, runProgram, type ProgramRun } from '../process/run-program.js';
import { createTemporaryFolder } from '../process/temporary-folder.js';
import { FIRST_DATE, metricsCsv } from '../release/small-input.js';
import { readServices, type ComposeService } from './compose-services.js';
import type { DebianPackages } from './debian-packages.js';
import {
  createLocalContainer,
  writePrograms,
  type LocalContainer,
  type LocalProcess,
} from './local-container.js';
import { once } from 'node:events';
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import { request } from 'node:https';

/** A response to `requestTls`. */
type TlsAnswer = {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
};

/** Options for `requestTls`. */
type TlsRequest = {
  /** Certificate of the authority that is trusted, and no other. */
  readonly ca: string;
  /** Port of this machine that stands for the one in the URL. */
  readonly port: number;
  /** Address of this machine that the request comes from. */
  readonly from?: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array;
};

/** Requests a URL over TLS from a server on this machine. It does not follow redirects. */
async function requestTls(
  url: string,
  { ca, port, from = '127.0.0.1', method = 'GET', headers = {}, body }: TlsRequest,
): Promise<TlsAnswer> {
  const { hostname, pathname, search } = new URL(url);
  const sent = request({
    host: '127.0.0.1',
    port,
    localAddress: from,
    servername: hostname,
    path: pathname + search,
    ca,
    method,
    agent: false,
    headers: { Host: hostname, ...headers },
  });
  sent.end(body);
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of answer) chunks.push(chunk as Buffer); // no encoding is set
  return { status: answer.statusCode ?? 0, headers: answer.headers, body: Buffer.concat(chunks) };
}

const SOURCE = path.resolve('infra/compose');
const DATA = '/srv/chain-reference-data';
const READY_MS = 60_000;
/** Number of days of metrics until yesterday: more than the methodology needs for its first label. */
const DAYS = 120;

/** Variables by file: `.env`, `gateway.env`, `generator.env`. `undefined` removes one. */
export type ComposeVariables = {
  readonly [file: string]: Readonly<Record<string, string | undefined>>;
};

/** A machine with the folder infra/compose, prepared as its README says. The site is `https://localhost`. */
export type ComposeScene = {
  /** The folder with compose.yaml. */
  readonly project: string;
  /** The folder with everything that is kept. */
  readonly data: string;
  readonly services: Readonly<Record<string, ComposeService>>;
  /** Returns the container of a service. */
  readonly container: (name: string) => Promise<LocalContainer>;
  /** Runs the line of the README with this text, such as `docker-compose exec gateway gateway doctor`, in its container. */
  readonly runLine: (text: string) => Promise<ProgramRun>;
  /** Starts a service, which is stopped with the scene, and waits until its health check passes. */
  readonly start: (name: string) => Promise<LocalProcess>;
  /** Requests a URL of the site through Caddy. */
  readonly request: (url: string, options?: Omit<TlsRequest, 'ca' | 'port'>) => Promise<TlsAnswer>;
  /** Address of Caddy without TLS. */
  readonly plainUrl: string;
  readonly dispose: () => Promise<void>;
};

/** Returns a block of the README that contains a text. */
async function readBlock(text: string): Promise<string> {
  const page = await readFile(path.join(SOURCE, 'README.md'), 'utf8');
  const blocks = [...page.matchAll(/^( *)```\w+\n(.*?)\n *```$/gms)];
  const [, indent = '', block] = blocks.find(([, , each = '']) => each.includes(text)) ?? [];
  if (block === undefined) throw new Error(`infra/compose/README.md has no block with ${text}`);
  return block.replaceAll(new RegExp(`^${indent}`, 'gm'), '');
}

/** Creates a scene. It has the variables of the examples, except those that `variables` replaces. */
export async function createComposeScene(
  packages: DebianPackages,
  variables: ComposeVariables = {},
): Promise<ComposeScene> {
  const { path: folder, dispose } = await createTemporaryFolder();
  const [project, data, programs] = ['project', 'data', 'programs'].map((name) =>
    path.join(folder, name),
  ) as [string, string, string];
  await cp(SOURCE, project, { recursive: true });
  await prepareData(data);
  const own = {
    SITE: 'localhost',
    DATA: data,
    SOURCE_COMMIT: 'a1'.repeat(20),
    BASE_IMAGE: 'node@sha256:00',
    CADDY_IMAGE: 'caddy@sha256:00',
  };
  for (const file of ['.env', 'gateway.env', 'generator.env']) {
    const text = await readFile(path.join(SOURCE, `${file}.example`), 'utf8');
    const values = { ...(file === '.env' ? own : {}), ...variables[file] };
    await writeFile(path.join(project, file), withVariables(text, values));
  }
  const services = await readServices(packages, project);
  const inRoot = (file: string): string => path.join(packages.root, file);
  await writePrograms(programs, { caddy: inRoot('usr/bin/caddy'), busybox: inRoot('bin/busybox') });
  const [http, https, admin, gateway, operators] = await findFreePorts(5);
  const addresses = {
    'http_port 8080': `default_bind 127.0.0.1\n\thttp_port ${http}`,
    'https_port 8443': `https_port ${https}`,
    '127.0.0.1:2019': `127.0.0.1:${admin}`,
    'gateway:8080': `127.0.0.1:${gateway}`,
    '0.0.0.0': '127.0.0.1',
  };
  const env = { CRD_HOST: '0.0.0.0', CRD_PORT: String(gateway), CRD_METRICS_PORT: String(operators) };
  const imageCheck = await readImageCheck();
  const containers = new Map<string, Promise<LocalContainer>>();
  const container = (name: string): Promise<LocalContainer> => {
    const service = { healthcheck: imageCheck, ...services[name] } as ComposeService;
    const place = path.join(folder, 'containers', name);
    const options = { folder: place, programs, addresses, ...(name === 'caddy' ? {} : { env }) };
    const known = containers.get(name) ?? createLocalContainer(service, options);
    containers.set(name, known);
    return known;
  };
  const running = new Set<LocalProcess>();
  const stopAll = async (): Promise<void> => {
    await Promise.all([...running].map(({ stop }) => stop()));
  };
  return {
    project,
    data,
    services,
    container,
    plainUrl: `http://127.0.0.1:${http}`,
    async runLine(text) {
      const lines = (await readBlock(text)).split('\n');
      const [service = '', ...words] = toWords(lines.find((each) => each.includes(text)) ?? '');
      return (await container(service)).run(...words);
    },
    async start(name) {
      const { start, check } = await container(name);
      const started = start();
      running.add(started);
      const endMs = performance.now() + READY_MS;
      while ((await check()).code !== 0) {
        if (performance.now() > endMs) throw new Error(`${name} is not healthy:\n${started.output()}`);
        await sleep(250);
      }
      return started;
    },
    async request(url, options = {}) {
      const ca = await readFile(path.join(data, 'caddy/caddy/pki/authorities/local/root.crt'), 'utf8');
      return requestTls(url, { ...options, ca, port: https });
    },
    async dispose() {
      await stopAll();
      await dispose();
    },
  };
}

/**
 * Does steps 3 and 5 of the README: the folders and the secrets, whose owner is the user of this process, and the policy with
 * metrics of its own.
 */
async function prepareData(data: string): Promise<void> {
  const owner = String(process.getuid?.() ?? 0);
  const script = (await readBlock('install -d'))
    .replace(DATA, data)
    .replaceAll(/(-[og]) 1000/g, `$1 ${owner}`);
  assertSuccess(await runProgram('/bin/sh', ['-ec', script], { PATH: process.env['PATH'] ?? '' }));
  const days = wholeDaysBetween(Date.parse(FIRST_DATE), Date.now());
  const [header = '', ...rows] = metricsCsv('base', days).trimEnd().split('\n');
  const policy = (await readBlock('"kind": "files"')).replace(FIRST_DATE, addDays(FIRST_DATE, days - DAYS));
  await mkdir(path.join(data, 'config/metrics'));
  await writeFile(path.join(data, 'config/sources.policy.json'), policy);
  await writeFile(path.join(data, 'config/metrics/base.csv'), [header, ...rows.slice(-DAYS), ''].join('\n'));
}

/** Returns the service and the words of a line `docker-compose exec SERVICE COMMAND`, or `run --rm`. */
function toWords(line: string): readonly string[] {
  const [, words = ''] = /^docker-compose (?:exec|run --rm) (.*)$/.exec(line) ?? [];
  return (words.match(/"[^"]*"|'[^']*'|\S+/g) ?? []).map((word) => word.replaceAll(/^["']|["']$/g, ''));
}

/** Replaces variables in an example, also those in comments. @throws Error for one that the example does not have */
function withVariables(text: string, values: Readonly<Record<string, string | undefined>>): string {
  return Object.entries(values).reduce((current, [name, value]) => {
    const line = new RegExp(`^(?:# )?${name}=.*$`, 'm');
    if (!line.test(current)) throw new Error(`the example has no ${name}`);
    return current.replace(line, value === undefined ? '' : `${name}=${value}`);
  }, text);
}

/** Returns the health check of the image, which a service has unless compose.yaml names another one. */
async function readImageCheck(): Promise<ComposeService['healthcheck']> {
  const [, check = ''] =
    /^HEALTHCHECK.*?CMD (\[.*?\])$/ms.exec(await readFile('infra/Dockerfile', 'utf8')) ?? [];
  return { test: ['CMD', ...(JSON.parse(check) as string[])] };
}

async function findFreePorts(count: 5): Promise<[number, number, number, number, number]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  await sleep(0);
  const ports = servers.map((server) => {
    const address = server.address();
    return typeof address === 'object' && address !== null ? address.port : 0;
  });
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports as [number, number, number, number, number];
}
