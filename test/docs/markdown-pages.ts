import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';

/** The repository's root folder. */
export const ROOT = path.join(import.meta.dirname, '../..');

/** Folders without pages of the repository. The links of the guides are those of the site. */
const SKIPPED = /(^|\/)(node_modules|dist|cdk\.out|golden|data|guides|\.[a-z-]+)(\/|$)/;

/** Returns every Markdown page of the repository, by its path from the root. */
export async function readMarkdownPages(): Promise<ReadonlyMap<string, string>> {
  const names = (await readdir(ROOT, { recursive: true }))
    .map((name) => name.split(path.sep).join('/'))
    .filter((name) => name.endsWith('.md') && !SKIPPED.test(path.posix.dirname(name)))
    .sort();
  return new Map(
    await Promise.all(
      names.map(async (name) => [name, await readFile(path.join(ROOT, name), 'utf8')] as const),
    ),
  );
}

/** Returns the rows of the table under a header row, without the backticks around a cell. */
export function readTable(page: string, header: string): string[][] {
  const lines = page.split('\n');
  const start = lines.indexOf(header);
  if (start < 0) throw new Error(`The page has no table "${header}".`);
  const rows = lines.slice(start + 2);
  const end = rows.findIndex((line) => !line.startsWith('|'));
  return rows.slice(0, end).map((line) =>
    line
      .slice(1, -1)
      .split('|')
      .map((cell) => cell.trim().replace(/^`|`$/g, '')),
  );
}

/** Returns the anchors that GitHub makes for the headings of a page. */
export function readAnchors(page: string): ReadonlySet<string> {
  const headings = [...page.matchAll(/^#+ (.*)$/gm)].map(([, text = '']) => text);
  return new Set(
    headings.map((text) =>
      text
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
        .replaceAll(' ', '-'),
    ),
  );
}
