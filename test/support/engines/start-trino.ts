import { spawn, type ChildProcess, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  mkdirSync,
  openSync,
  readFileSync,
  writeFileSync,
  createReadStream,
  existsSync,
  readdirSync,
  rmSync,
} from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createTemporaryFolder } from '../process/temporary-folder.js';
import { createHash } from 'node:crypto';
import { pipeline } from 'node:stream/promises';

const ROOT = path.join(import.meta.dirname, '../../..');
/** The last version that runs on Java 17 and is small enough to download for a test. */
const TRINO_VERSION = '368';
const SHA256 = '794a7df6faae51895183b52c6d7f36f0a9715140fab317dac5400f71729c05cd';
const COPY = 'org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy';

/**
 * Installs Trino with the connector for files into `.trino`, unless it is there. Maven downloads it (650 MB) from where
 * its settings say, and keeps it in its repository. Returns the folder of the server.
 * @throws Error with what to do
 */
async function installTrino(): Promise<string> {
  const folder = path.join(ROOT, '.trino');
  const server = path.join(folder, `trino-server-${TRINO_VERSION}`);
  const marker = path.join(server, 'installed');
  if (existsSync(marker)) return server;
  process.stderr.write(`installing Trino ${TRINO_VERSION} into .trino (a download of 650 MB, once)\n`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  const artifact = `-Dartifact=io.trino:trino-server:${TRINO_VERSION}:tar.gz`;
  execute('mvn', ['--batch-mode', '--quiet', COPY, artifact, `-DoutputDirectory=${folder}`]);
  const archive = path.join(folder, `trino-server-${TRINO_VERSION}.tar.gz`);
  const sha256 = createHash('sha256');
  await pipeline(createReadStream(archive), sha256);
  if (sha256.digest('hex') !== SHA256) throw new Error(`${archive} has another digest than ${SHA256}.`);
  execute('tar', ['-xzf', archive, '-C', folder]); // all of it, because its files are links to each other
  for (const plugin of readdirSync(path.join(server, 'plugin'))) {
    if (plugin !== 'hive') rmSync(path.join(server, 'plugin', plugin), { recursive: true });
  }
  rmSync(archive);
  writeFileSync(marker, '');
  return server;
}

function execute(program: string, args: readonly string[]): void {
  const { status, stdout, stderr, error } = spawnSync(program, args, { encoding: 'utf8' });
  if (status === 0) return;
  const advice = 'Install Java 17 and Maven (Debian: apt-get install openjdk-17-jre-headless maven).';
  throw new Error(`${program} ${args.join(' ')} failed. ${advice}\n${error?.message ?? stdout + stderr}`);
}

const START_MS = 600_000; // 6 seconds on a quiet machine
const JAVA = [
  '-Xmx2G',
  '-Djdk.attach.allowAttachSelf=true',
  '-Duser.timezone=UTC',
  ...['lang', 'nio', 'lang.invoke'].map((each) => `--add-opens=java.base/java.${each}=ALL-UNNAMED`),
];

/** A Trino server on loopback, with an empty catalog `hive` whose tables are in files. */
export type TrinoServer = { readonly endpoint: string; readonly stop: () => Promise<void> };

/** Installs Trino if necessary, and starts it. @throws Error with the end of its log if it does not start. */
export async function startTrino(): Promise<TrinoServer> {
  const home = await installTrino();
  const folder = await createTemporaryFolder();
  const port = await findFreePort();
  const endpoint = `http://127.0.0.1:${port}`;
  const log = path.join(folder.path, 'log.txt');
  const output = openSync(log, 'w');
  const child = spawn(
    'java',
    [...JAVA, ...configure(folder.path, endpoint, port), 'io.trino.server.TrinoServer'],
    {
      cwd: home, // plugins are searched for here
      env: { PATH: process.env['PATH'], CLASSPATH: path.join(home, 'lib', '*') },
      stdio: ['ignore', output, output],
    },
  );
  const endWithThis = (): void => void child.kill('SIGKILL');
  process.once('exit', endWithThis);
  const stop = async (): Promise<void> => {
    process.off('exit', endWithThis);
    await end(child);
    await folder.dispose();
  };
  try {
    await waitUntilReady(endpoint, child);
  } catch (error) {
    const text = readFileSync(log, 'utf8').slice(-4000);
    await stop();
    throw new Error(`Trino did not start:\n${text}`, { cause: error });
  }
  return { endpoint, stop };
}

/** Writes the configuration. Returns the options of Java that name it. */
function configure(folder: string, endpoint: string, port: number): string[] {
  const catalogs = path.join(folder, 'catalog');
  mkdirSync(catalogs);
  const write = (file: string, settings: Readonly<Record<string, string | number>>): void => {
    const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}\n`);
    writeFileSync(path.join(folder, file), lines.join(''));
  };
  write('catalog/hive.properties', {
    'connector.name': 'hive',
    'hive.metastore': 'file',
    'hive.metastore.catalog.dir': `file://${folder}/metastore`,
  });
  write('log.properties', { 'io.trino': 'WARN' });
  write('config.properties', {
    coordinator: 'true',
    'node-scheduler.include-coordinator': 'true',
    'http-server.http.port': port,
    'discovery.uri': endpoint,
    'catalog.config-dir': catalogs,
    'query.max-memory': '1GB',
    'query.max-memory-per-node': '1GB',
    'query.max-total-memory': '1200MB',
    'query.max-total-memory-per-node': '1200MB',
    'memory.heap-headroom-per-node': '500MB',
  });
  const settings = {
    config: path.join(folder, 'config.properties'),
    'log.levels-file': path.join(folder, 'log.properties'),
    'node.environment': 'test',
    'node.id': 'test',
    'node.data-dir': path.join(folder, 'data'),
    'node.bind-ip': '127.0.0.1',
    'node.internal-address': '127.0.0.1',
  };
  return Object.entries(settings).map(([name, value]) => `-D${name}=${value}`);
}

async function waitUntilReady(endpoint: string, child: ChildProcess): Promise<void> {
  for (const deadlineMs = Date.now() + START_MS; Date.now() < deadlineMs;) {
    await sleep(200);
    if (child.exitCode !== null || child.signalCode !== null) throw new Error('Trino ended');
    const info = await fetch(`${endpoint}/v1/info`).catch(() => undefined);
    if (info?.ok !== true) continue;
    const { starting } = (await info.json()) as { starting?: boolean }; // the format of Trino
    if (starting === false) return;
  }
  throw new Error(`Trino was not ready after ${START_MS / 1000} s`);
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address !== null ? address.port : 0;
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const closed = once(child, 'close');
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), 10_000);
  await closed;
  clearTimeout(timer);
}
