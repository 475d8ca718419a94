import { runProgram, assertSuccess, type ProgramRun } from '../process/run-program.js';
import type { DebianPackages } from './debian-packages.js';

/** A service as docker-compose understands it: variables are replaced, and paths are absolute. */
export type ComposeService = {
  readonly image: string;
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** Each `FOLDER-OR-FILE:PATH:MODE`. */
  readonly volumes: readonly string[];
  readonly tmpfs?: readonly string[];
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly [other: string]: unknown;
};

const YAML_TO_JSON = 'import json, sys, yaml; json.dump(yaml.safe_load(sys.stdin), sys.stdout)';

/** Runs Debian's docker-compose, which needs no engine for `config`. `project` is the folder of compose.yaml. */
export function runDockerCompose(
  { root, env }: DebianPackages,
  project: string,
  args: readonly string[],
): Promise<ProgramRun> {
  return runProgram(`${root}/usr/bin/docker-compose`, args, env, project);
}

/** Returns the services of a project. @throws Error with the faults that docker-compose finds */
export async function readServices(
  packages: DebianPackages,
  project: string,
): Promise<Readonly<Record<string, ComposeService>>> {
  const script = `set -o pipefail; "$0" config | python3 -c "$1"`;
  const args = ['-c', script, `${packages.root}/usr/bin/docker-compose`, YAML_TO_JSON];
  const run = await runProgram('/bin/bash', args, packages.env, project);
  const { services } = JSON.parse(assertSuccess(run, 'docker-compose').stdout) as {
    services: Record<string, ComposeService>; // docker-compose has checked the form
  };
  return services;
}
