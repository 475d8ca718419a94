import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';

const ROOT = path.join(import.meta.dirname, '../../..');
/** The last version that runs on Java 17 and is small enough to download for a test. */
export const TRINO_VERSION = '368';
const SHA256 = '794a7df6faae51895183b52c6d7f36f0a9715140fab317dac5400f71729c05cd';
const COPY = 'org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy';

/**
 * Installs Trino with the connector for files into `.trino`, unless it is there. Maven downloads it (650 MB) from where
 * its settings say, and keeps it in its repository. Returns the folder of the server.
 * @throws Error with what to do
 */
export async function installTrino(): Promise<string> {
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
