import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { NOTEBOOK_FILE, type NotebookCell } from '../../../scripts/python/format-notebook.js';
import { installLocked } from '../../../scripts/python/install-locked.js';
import { assertSuccess, runProgram } from '../process/run-program.js';
import { createTemporaryFolder } from '../process/temporary-folder.js';

const FOLDER = fileURLToPath(new URL('../../python/notebook/', import.meta.url));
const INSTALLED = fileURLToPath(new URL('../../../.python/notebook/', import.meta.url));

/** An output of a cell: part of a stream, a picture or table, or an error. */
export type CellOutput = {
  readonly output_type: string;
  readonly name?: string;
  readonly text?: string | readonly string[];
  readonly data?: { readonly [type: string]: string | readonly string[] };
};

/** A cell of code after a run. */
export type ExecutedCell = NotebookCell & {
  readonly execution_count: number | null;
  readonly outputs: readonly CellOutput[];
};

/** The result of running a notebook. */
export type NotebookRun = {
  /** The error of the cell that failed; `null` when all cells ran. */
  readonly error: string | null;
  /** The executed notebook, as a reader would save it. */
  readonly text: string;
  readonly cells: readonly ExecutedCell[];
};

/** Environment variables that a notebook reads its settings from. */
export type NotebookSettings = Readonly<Record<string, string>>;

/** Runs notebooks, one after the other. */
export type NotebookRunner = {
  /** The folder into which the first run of the starter notebook installs the Python client. */
  readonly client: string;
  /** Runs the starter notebook, or the one in `file`, in a kernel that all runs share and that is reset before each. */
  readonly run: (settings: NotebookSettings, file?: string) => Promise<NotebookRun>;
  /** Runs the starter notebook in a new kernel, which takes seconds to start. */
  readonly runFresh: (settings: NotebookSettings) => Promise<NotebookRun>;
  /** Ends the kernels. @throws Error with what they wrote to standard error. */
  readonly dispose: () => Promise<void>;
};

/**
 * Installs the packages that the notebook needs, if they are missing, and starts the program that runs notebooks. The
 * Python client is not among them: the first run installs it from the gateway, into a temporary folder.
 */
export async function startNotebookRunner(): Promise<NotebookRunner> {
  const requirements = `${FOLDER}requirements.txt`;
  const python = installLocked({ what: 'the notebook', requirements, folder: INSTALLED });
  const folder = await createTemporaryFolder();
  const inFolder = (name: string): string => path.join(folder.path, name);
  const client = await sitePackages(python, inFolder('client'));
  await Promise.all([inFolder('home'), client].map((each) => mkdir(each, { recursive: true })));
  const env = {
    PATH: process.env['PATH'] ?? '',
    PIP_PREFIX: inFolder('client'),
    PYTHONPATH: client,
    MPLCONFIGDIR: `${INSTALLED}matplotlib`,
    HOME: inFolder('home'),
    IPYTHONDIR: inFolder('ipython'),
    JUPYTER_RUNTIME_DIR: inFolder('runtime'),
  };
  await runProgram(python, ['-c', 'import matplotlib.font_manager'], env); // the first import prints that it builds a cache
  const child = spawn(python, [`${FOLDER}run_notebooks.py`, folder.path], { env });
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const ended = once(child, 'close');
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  let runs = 0;

  async function run(request: {
    source: string;
    settings: NotebookSettings;
    fresh: boolean;
  }): Promise<NotebookRun> {
    const result = inFolder(`executed-${(runs += 1)}.ipynb`);
    child.stdin.write(`${JSON.stringify({ ...request, result })}\n`);
    const { value = '', done } = await answers.next();
    if (done === true) throw new Error(`run_notebooks.py exited: ${stderr}`);
    const { error } = JSON.parse(value) as Pick<NotebookRun, 'error'>; // run_notebooks.py writes it
    const text = await readFile(result, 'utf8');
    const { cells } = JSON.parse(text) as { cells: ExecutedCell[] }; // nbformat has validated it
    return { error, text, cells: cells.filter(({ cell_type }) => cell_type === 'code') };
  }
  return {
    client,
    run: (settings, source = NOTEBOOK_FILE) => run({ source, settings, fresh: false }),
    runFresh: (settings) => run({ source: NOTEBOOK_FILE, settings, fresh: true }),
    async dispose() {
      child.stdin.end();
      await ended;
      await folder.dispose();
      if (stderr !== '') throw new Error(stderr);
    },
  };
}

/** Returns the folder of packages below a prefix of pip. */
async function sitePackages(python: string, prefix: string): Promise<string> {
  const program = 'import sys, sysconfig; print(sysconfig.get_path("purelib", vars={"base": sys.argv[1]}))';
  return assertSuccess(await runProgram(python, ['-c', program, prefix], {})).stdout.trim();
}

/** Returns what the cells printed. */
export function printedBy({ cells }: NotebookRun): string {
  const streams = cells.flatMap(({ outputs }) => outputs).filter(({ name }) => name === 'stdout');
  return streams.map(({ text }) => join(text)).join('');
}

/** Returns the tables that a cell shows: rows by their names, with cells by column. */
export function tablesOf(
  run: NotebookRun,
  id: string,
): ReadonlyMap<string, Readonly<Record<string, string>>>[] {
  const cell = run.cells.find((each) => each.id === id);
  const pages = (cell?.outputs ?? [])
    .map(({ data }) => join(data?.['text/html']))
    .filter((html) => html !== '');
  return pages.map((html) => {
    const [head = [], ...rows] = [...html.matchAll(/<tr[^>]*>(.*?)<\/tr>/gs)].map(([, row = '']) =>
      [...row.matchAll(/<t[hd][^>]*>(.*?)<\/t[hd]>/gs)].map(([, text = '']) => text),
    );
    return new Map(
      rows.map(([name = '', ...texts]) => [
        name,
        Object.fromEntries(texts.map((text, i) => [head[i + 1] ?? '', text])),
      ]),
    );
  });
}

function join(text: string | readonly string[] | undefined): string {
  return typeof text === 'object' ? text.join('') : (text ?? '');
}
