import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { runProgram, type ProgramRun } from '../process/run-program.js';
import type { ComposeService } from './compose-services.js';

/** Options for `createLocalContainer`. */
export type LocalContainerOptions = {
  /** Folder for what the container has for itself. */
  readonly folder: string;
  /** Folders with the programs of the image. */
  readonly programs: string;
  /** Texts that differ without a network of containers, such as ports, with their replacements. */
  readonly addresses: Readonly<Record<string, string>>;
  /** Variables of the image. */
  readonly env?: Readonly<Record<string, string>>;
};

/** A program of a service that runs. */
export type LocalProcess = {
  readonly output: () => string;
  /** Sends SIGTERM, and returns the exit code. */
  readonly stop: () => Promise<number | null>;
};

/** A service on this machine without a container engine: its commands run as they are, with its mounted paths replaced. */
export type LocalContainer = {
  /** Starts the command of the service. */
  readonly start: () => LocalProcess;
  /** Runs another command in it, as `docker-compose run` or `exec` does. */
  readonly run: (...command: readonly string[]) => Promise<ProgramRun>;
  /** Runs the health check. */
  readonly check: () => Promise<ProgramRun>;
};

/** Creates the container of a service. Of each mounted file it has a copy, in which the paths are replaced too. */
export async function createLocalContainer(
  service: ComposeService,
  { folder, programs, addresses, env: imageEnv = {} }: LocalContainerOptions,
): Promise<LocalContainer> {
  const places = new Map(Object.entries(addresses));
  const files: [from: string, to: string][] = [];
  for (const [i, [outside = '', inside = '']] of service.volumes.map((each) => each.split(':')).entries()) {
    const isFile = (await stat(outside)).isFile();
    const place = isFile ? path.join(folder, `mounted-${i}`) : outside;
    if (isFile) files.push([outside, place]);
    places.set(inside, place);
  }
  for (const [i, inside] of (service.tmpfs ?? []).entries()) {
    const place = path.join(folder, `tmpfs-${i}`);
    await mkdir(place, { recursive: true });
    places.set(inside, place);
  }
  const localize = createReplacement(places);
  await mkdir(folder, { recursive: true });
  for (const [from, to] of files) await writeFile(to, localize(await readFile(from, 'utf8')));
  const env = Object.fromEntries(
    Object.entries({ ...imageEnv, ...service.environment }).map(([name, value]) => [name, localize(value)]),
  );
  const variables = { ...env, PATH: `${programs}:/usr/bin:/bin` };
  const run = (command: readonly string[]): Promise<ProgramRun> => {
    const [program = '', ...args] = command.map(localize);
    return runProgram('/usr/bin/env', [program, ...args], variables, folder);
  };
  return {
    start() {
      const [program = '', ...args] = service.command.map(localize);
      const child = spawn(program, args, { env: variables, cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
      const ended = once(child, 'close') as Promise<[number | null]>;
      let output = '';
      for (const stream of [child.stdout, child.stderr])
        stream.setEncoding('utf8').on('data', (text: string) => (output += text));
      return {
        output: () => output,
        async stop() {
          child.kill('SIGTERM');
          return (await ended)[0];
        },
      };
    },
    run: (...command) => run(command),
    check() {
      const [kind, ...test] = service.healthcheck?.test ?? [];
      return run(kind === 'CMD-SHELL' ? ['sh', '-c', ...test] : test);
    },
  };
}

/** Returns a function that replaces each place wherever it is a whole path or address. */
function createReplacement(places: ReadonlyMap<string, string>): (text: string) => string {
  const names = [...places.keys()].sort((a, b) => b.length - a.length);
  const escaped = names.map((name) => name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  const pattern = new RegExp(`(?<![\\w.-])(?:${escaped.join('|')})(?![\\w-])`, 'g');
  return (text) => text.replace(pattern, (name) => places.get(name) ?? name);
}

/** Writes a folder with the programs of the images: those of the built product, this Node.js, and others by their paths. */
export async function writePrograms(folder: string, others: Readonly<Record<string, string>>): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const [name, file] of Object.entries({ node: process.execPath, ...others }))
    await symlink(file, path.join(folder, name));
  for (const name of ['generator', 'gateway']) {
    const main = path.resolve('dist', name, 'main.js');
    await writeFile(path.join(folder, name), `#!/bin/sh\nexec ${process.execPath} ${main} "$@"\n`);
    await chmod(path.join(folder, name), 0o755);
  }
}
