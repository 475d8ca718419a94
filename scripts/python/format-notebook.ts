/** Formats the starter notebook after it was edited in Jupyter. */
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

export const NOTEBOOK_FILE = fileURLToPath(
  new URL('../../templates/starter-notebook.ipynb', import.meta.url),
);

/** The parts of a notebook (nbformat 4.5) that formatting needs. */
export type Notebook = {
  readonly cells: readonly NotebookCell[];
  readonly metadata: object;
  readonly nbformat: number;
  readonly nbformat_minor: number;
};

/** A cell. Its source is a text or a list of lines. */
export type NotebookCell = {
  readonly cell_type: string;
  readonly id: string;
  readonly source: string | readonly string[];
};

/** Metadata for any Python 3 kernel, without details of the kernel that ran the notebook last. */
const METADATA = {
  kernelspec: { display_name: 'Python 3', language: 'python', name: 'python3' },
  language_info: { name: 'python' },
};

/** Returns a notebook as Jupyter writes it, without outputs, execution counts and kernel metadata. */
export function formatNotebook(text: string): string {
  const { cells, nbformat, nbformat_minor } = JSON.parse(text) as Notebook; // nbformat validates it in the tests
  const notebook = { cells: cells.map(formatCell), metadata: METADATA, nbformat, nbformat_minor };
  return `${JSON.stringify(notebook, null, 1)}\n`;
}

/** Returns the source of a cell as a text. */
export function sourceOf({ source }: NotebookCell): string {
  return typeof source === 'string' ? source : source.join('');
}

/** Returns a cell with its members sorted by name, as Jupyter writes them. */
function formatCell(cell: NotebookCell): object {
  const { cell_type, id } = cell;
  const source = sourceOf(cell)
    .trimEnd()
    .split(/(?<=\n)/);
  if (cell_type !== 'code') return { cell_type, id, metadata: {}, source };
  return { cell_type, execution_count: null, id, metadata: {}, outputs: [], source };
}

if (process.argv[1] === import.meta.filename) {
  await writeFile(NOTEBOOK_FILE, formatNotebook(await readFile(NOTEBOOK_FILE, 'utf8')));
}
