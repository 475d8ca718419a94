/** Brings the starter notebook to its one form, after it was edited in Jupyter. */
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

/** The starter notebook's source. */
export const NOTEBOOK_FILE = fileURLToPath(new URL('../templates/starter-notebook.ipynb', import.meta.url));

/** A notebook of the format 4.5, as far as its form hangs on it. */
export type Notebook = {
  readonly cells: readonly NotebookCell[];
  readonly metadata: object;
  readonly nbformat: number;
  readonly nbformat_minor: number;
};

/** A cell; its source is one text, or its lines. */
export type NotebookCell = {
  readonly cell_type: string;
  readonly id: string;
  readonly source: string | readonly string[];
};

/** Any kernel of Python 3, and no word of the one that ran it last. */
const METADATA = {
  kernelspec: { display_name: 'Python 3', language: 'python', name: 'python3' },
  language_info: { name: 'python' },
};

/** A notebook's text in its one form: as Jupyter writes it, without outputs, counts and what a kernel left behind. */
export function formatNotebook(text: string): string {
  const { cells, nbformat, nbformat_minor } = JSON.parse(text) as Notebook; // nbformat judges it where it runs
  const notebook = { cells: cells.map(formatCell), metadata: METADATA, nbformat, nbformat_minor };
  return `${JSON.stringify(notebook, null, 1)}\n`;
}

/** The source of a cell as one text. */
export function sourceOf({ source }: NotebookCell): string {
  return typeof source === 'string' ? source : source.join('');
}

/** Members in the order of their names, as Jupyter has them. */
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
