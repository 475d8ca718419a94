import Table from 'cli-table3';
import { printableCell } from './printable.js';

/** Formats a plain table for a terminal: aligned columns, numbers to the right, no borders, one line for each row. */
export function formatTable(
  head: readonly string[],
  rows: readonly (readonly (string | number)[])[],
): string {
  const blank = {
    top: '',
    'top-mid': '',
    'top-left': '',
    'top-right': '',
    bottom: '',
    'bottom-mid': '',
    'bottom-left': '',
    'bottom-right': '',
    left: '',
    'left-mid': '',
    mid: '',
    'mid-mid': '',
    right: '',
    'right-mid': '',
    middle: '  ',
  };
  const table = new Table({
    head: head.map(printableCell),
    chars: blank,
    style: { head: [], border: [], 'padding-left': 0, 'padding-right': 0 },
    colAligns: head.map((_, c) => (rows.some((row) => typeof row[c] === 'number') ? 'right' : 'left')),
  });
  table.push(...rows.map((row) => row.map((cell) => printableCell(String(cell)))));
  return table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n');
}
