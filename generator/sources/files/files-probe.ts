import { addDays, toInstant } from '../../../schemas/dates.js';
import { probeReading } from '../probe-lines.js';
import type { Probe } from '../source.js';
import { readHeader, readMappedCsv, type ReadOptions } from './mapped-csv.js';

/** Compares the header of a file with the mapping, and its newest date with yesterday. @throws SourceError 'unavailable' */
export async function probeFile(options: ReadOptions): Promise<readonly Probe[]> {
  const { folder, where, mapped, nowMs } = options;
  const { file, dateColumn, columns, isExact } = mapped;
  const header = await probeReading(file, 'CSV', () => readHeader(folder, where, mapped));
  if ('difference' in header) return [header.difference];
  const probeColumn = (column: string, expected: string, isNeeded: boolean): Probe => {
    const at = header.value.indexOf(column) + 1;
    const found = at === 0 ? 'no such column' : `column ${at}`;
    return { item: `column ${column} of ${file}`, expected, found, agrees: at > 0 || !isNeeded };
  };
  const probes = [
    probeColumn(dateColumn, 'dates', true),
    ...columns.map(({ metric, column, unit }) => probeColumn(column, `${metric}, unit ${unit}`, isExact)),
  ];
  const rows = await probeReading(`rows of ${file}`, 'dates in ascending order, with numbers', () =>
    readMappedCsv(options),
  );
  if ('difference' in rows) return [...probes, rows.difference];
  const yesterday = addDays(toInstant(nowMs).slice(0, 10), -1);
  const newest = [...rows.value.days.keys()].at(-1) ?? 'none';
  const item = `newest date of ${file}`;
  return [...probes, { item, expected: yesterday, found: newest, agrees: newest === yesterday }];
}
