import { spawn, type ChildProcess } from 'node:child_process';
import { cp } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { CLIENT_SOURCES } from './python-clients.js';
import { runProgram, type ProgramRun } from '../process/run-program.js';

/** The examples for customers. */
export const EXAMPLES_FOLDER = fileURLToPath(new URL('../../../templates/examples', import.meta.url));

const TSX = fileURLToPath(new URL('../../../node_modules/.bin/tsx', import.meta.url));
/** The loader of tsx, to run a script without another process in between. */
const LOADER = new URL('../../../node_modules/tsx/dist/loader.mjs', import.meta.url).href;

/** The gateway and the key of a run. Public data needs no key. */
export type ExampleOptions = { readonly gateway: string; readonly key?: string | undefined };

/** The examples in a separate folder, without our packages in a parent folder, as customers have them. */
export type CopiedExamples = {
  readonly folder: string;
  /** Runs an example, or a command such as `crd sync`, in the folder. */
  readonly run: (script: string, args: readonly string[], options: ExampleOptions) => Promise<ProgramRun>;
  /** Starts an example that the test kills. */
  readonly start: (script: string, args: readonly string[], options: ExampleOptions) => ChildProcess;
};

/** Copies the examples to a folder. `python` has their packages, and runs the command `crd` of the Python client. */
export async function copyExamples(folder: string, python: string): Promise<CopiedExamples> {
  await cp(EXAMPLES_FOLDER, folder, { recursive: true });
  const lineOf = (script: string, args: readonly string[]): [string, string[]] => {
    const [name = '', ...own] = script.split(' ');
    if (name === 'crd') return [python, ['-m', 'crd', ...own, ...args]];
    return [programOf(script, python), [path.join(folder, script), ...args]];
  };
  const environment = (options: ExampleOptions): Record<string, string> => ({
    ...environmentOf(options),
    CRD_CACHE_DIR: path.join(folder, 'cache'),
  });
  return {
    folder,
    run: (script, args, options) => runProgram(...lineOf(script, args), environment(options), folder),
    start: (script, args, options) => {
      const [program, line] = lineOf(script, args);
      const isTsx = program === TSX; // killing tsx would not kill the process that it starts
      return spawn(isTsx ? process.execPath : program, [...(isTsx ? ['--import', LOADER] : []), ...line], {
        env: environment(options),
        cwd: folder,
        stdio: 'ignore',
      });
    },
  };
}

function programOf(script: string, python: string): string {
  const programs: Readonly<Record<string, string>> = {
    '.py': python,
    '.mjs': process.execPath,
    '.ts': TSX,
    '.sh': 'sh',
  };
  const program = programs[path.extname(script)];
  if (program === undefined) throw new Error(`unknown kind of script: ${script}`);
  return program;
}

/** Returns the environment variables of a run. */
export function environmentOf({ gateway, key }: ExampleOptions): Record<string, string> {
  const { PATH = '', HOME = '' } = process.env;
  const python = { PYTHONDONTWRITEBYTECODE: '1', PYTHONPATH: CLIENT_SOURCES };
  const env = { PATH, HOME, ...python, GATEWAY: gateway, CRD_BASE_URL: gateway };
  return key === undefined ? env : { ...env, API_KEY: key, CRD_API_KEY: key };
}
