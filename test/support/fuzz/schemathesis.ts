import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { installLocked } from '../../../scripts/python/install-locked.js';
import { PUBLIC_PATHS } from '../../../schemas/paths.js';
import { runProgram } from '../process/run-program.js';
import { createTemporaryFolder } from '../process/temporary-folder.js';

const FOLDER = fileURLToPath(new URL('../../python/schemathesis/', import.meta.url));

/** Options for a run of schemathesis. */
export type TrialOptions = {
  readonly gateway: string;
  /** Credentials; absent for a run without. */
  readonly signedIn?: { readonly apiKey: string; readonly session: string };
  /** True if the gateway has a payment service. */
  readonly isSelling: boolean;
  /** Options that select operations; absent for all operations. */
  readonly only?: readonly string[];
  /** An OpenAPI document to use instead of the one that the gateway serves. */
  readonly description?: object;
};

/** The result of a run. */
export type Trial = {
  readonly requests: number;
  readonly operations: number;
  readonly seconds: number;
  /** Kinds of failures with their numbers, and phases that did not succeed. */
  readonly failures: readonly string[];
  /** The output about failures. */
  readonly output: string;
};

/** The parts of schemathesis' report that are read. */
type Report = {
  readonly running_time: number;
  readonly operations: { readonly selected: number; readonly tested: number };
  readonly phases: Readonly<Record<string, { readonly status: string }>>;
  readonly test_cases: { readonly generated: number };
  readonly failures: readonly { readonly type: string; readonly count: number }[];
  readonly errors: readonly object[];
};

/** Tests a gateway with its OpenAPI document. */
export type Schemathesis = { readonly run: (options: TrialOptions) => Promise<Trial> };

/** Installs schemathesis if necessary. Only one suite may call this at a time. */
export function installSchemathesis(): Schemathesis {
  const python = installLocked({
    what: 'schemathesis',
    requirements: `${FOLDER}requirements.txt`,
    folder: fileURLToPath(new URL('../../../.python/schemathesis', import.meta.url)),
  });
  const program = path.join(path.dirname(python), 'schemathesis');
  return {
    async run(options) {
      const folder = await createTemporaryFolder(); // it stores data in its working directory
      try {
        return await runTrial(program, folder.path, options);
      } finally {
        await folder.dispose();
      }
    },
  };
}

async function runTrial(program: string, folder: string, options: TrialOptions): Promise<Trial> {
  const { gateway, signedIn, only = [], description } = options;
  const configuration = path.join(folder, 'schemathesis.toml');
  const report = path.join(folder, 'report.json');
  await writeFile(configuration, await readConfiguration(options));
  const described = path.join(folder, 'openapi.json');
  if (description !== undefined) await writeFile(described, JSON.stringify(description));
  const args = [
    ...['--no-color', '--config-file', configuration, 'run'],
    ...[description === undefined ? `${gateway}${PUBLIC_PATHS.openapi}` : described, '--url', gateway],
    ...['--report', 'json', '--report-json-path', report, ...only],
    ...['--generation-with-security-parameters', String(signedIn !== undefined)],
  ];
  const { PATH = '', HOME = '' } = process.env;
  const { apiKey = '', session = '' } = signedIn ?? {};
  const env = { PATH, HOME, TMPDIR: folder, PYTHONDONTWRITEBYTECODE: '1', API_KEY: apiKey, SESSION: session };
  const { code, stdout, stderr } = await runProgram(program, args, env, folder);
  if (code !== 0 && code !== 1) throw new Error(`schemathesis ended with ${code}: ${stdout}${stderr}`);
  return toTrial(JSON.parse(await readFile(report, 'utf8')) as Report, stdout); // the format of schemathesis
}

/** Returns the settings of all runs, with the additional ones of this run. */
async function readConfiguration({ signedIn, isSelling }: TrialOptions): Promise<string> {
  const names = [
    'schemathesis',
    ...(signedIn === undefined ? [] : ['signed-in']),
    ...(isSelling ? [] : ['not-selling']),
  ];
  return (await Promise.all(names.map((name) => readFile(`${FOLDER}${name}.toml`, 'utf8')))).join('\n');
}

function toTrial(report: Report, stdout: string): Trial {
  const { operations, phases, errors } = report;
  const failedPhases = ['examples', 'coverage', 'fuzzing'].filter(
    (name) => phases[name]?.status !== 'success',
  );
  const failures = [
    ...report.failures.map(({ type, count }) => `${type}: ${count}`),
    ...failedPhases.map((name) => `${name}: ${phases[name]?.status ?? 'absent'}`),
    ...(errors.length > 0 ? [`errors: ${errors.length}`] : []),
    ...(operations.tested === operations.selected ? [] : ['some operations were not tested']),
  ];
  return {
    requests: report.test_cases.generated,
    operations: operations.tested,
    seconds: report.running_time,
    failures,
    output: failures.length === 0 ? '' : stdout,
  };
}
