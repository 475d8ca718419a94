import { spawn, type ChildProcess } from 'node:child_process';
import { cp } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
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
  /** Runs an example in the folder. */
  readonly run: (script: string, args: readonly string[], options: ExampleOptions) => Promise<ProgramRun>;
  /** Starts an example that the test kills. */
  readonly start: (script: string, args: readonly string[], options: ExampleOptions) => ChildProcess;
};

/** Copies the examples to a folder. `python` runs the ones that need packages; the others run without packages. */
export async function copyExamples(folder: string, python = 'python3'): Promise<CopiedExamples> {
  await cp(EXAMPLES_FOLDER, folder, { recursive: true });
  const lineOf = (script: string, args: readonly string[]): [string, string[]] => {
    const [program = '', ...flags] = programOf(script, python);
    return [program, [...flags, path.join(folder, script), ...args]];
  };
  return {
    folder,
    run: (script, args, options) => runProgram(...lineOf(script, args), environmentOf(options), folder),
    start: (script, args, options) => {
      const [program, line] = lineOf(script, args);
      const isTsx = program === TSX; // killing tsx would not kill the process that it starts
      return spawn(isTsx ? process.execPath : program, [...(isTsx ? ['--import', LOADER] : []), ...line], {
        env: environmentOf(options),
        cwd: folder,
        stdio: 'ignore',
      });
    },
  };
}

function programOf(script: string, python: string): readonly string[] {
  if (script === 'sync.py') return ['python3', '-S']; // without installed packages
  const programs: Readonly<Record<string, readonly string[]>> = {
    '.py': [python],
    '.mjs': [process.execPath],
    '.ts': [TSX],
    '.sh': ['sh'],
  };
  const program = programs[path.extname(script)];
  if (program === undefined) throw new Error(`unknown kind of script: ${script}`);
  return program;
}

/** Returns the environment variables of a run. */
export function environmentOf({ gateway, key }: ExampleOptions): Record<string, string> {
  const { PATH = '', HOME = '' } = process.env;
  const env = { PATH, HOME, PYTHONDONTWRITEBYTECODE: '1', GATEWAY: gateway };
  return key === undefined ? env : { ...env, API_KEY: key };
}
