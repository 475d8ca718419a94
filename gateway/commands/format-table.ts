/** A plain table for a terminal: columns aligned to the left, two spaces between them, no frame. */
export function formatTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, c) => Math.max(title.length, ...rows.map((row) => row[c]?.length ?? 0)));
  return [head, ...rows]
    .map((row) => row.map((cell, c) => cell.padEnd(widths[c] ?? 0)).join('  '))
    .map((line) => line.trimEnd())
    .join('\n');
}
