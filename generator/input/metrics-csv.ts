import type { Chain, FileCheck, SourceSegment } from '../../schemas/types.generated.js';
import type { InputFault } from '../core/input/input-fault.js';
import { toInputSeries, type InputSeries } from '../core/input/input-series.js';
import { createTableReader, type CsvRow, type TableReader } from '../core/input/input-table.js';
import { count } from '../core/text/count.js';
import { csvRows } from './csv-rows.js';
import { describeReadError, type FileFault } from './file-fault.js';
import type { InputFolder } from './input-folder.js';
import { chunksWithin, INPUT_LIMITS } from './input-limits.js';
import { createTextReader, type TextEnd } from './text-reader.js';

/** Reading a file stops after this number of faults. */
const MAX_FAULTS_PER_FILE = 20;
const UNREADABLE = 'make sure that it is a file that this user may read';

/** Options for `readMetricsCsv`: the chain's entries in `sources.json`, and the as-of instant. */
type MetricsOptions = {
  readonly chain: Chain;
  readonly asOfMs: number;
  readonly sources: readonly SourceSegment[];
  readonly check: FileCheck | undefined;
};

/** Reads `<chain>.csv` of `folder` as a stream. Returns its series, or its faults up to a limit. */
export async function readMetricsCsv(
  folder: InputFolder,
  { chain, asOfMs, sources, check }: MetricsOptions,
): Promise<{ readonly series?: InputSeries; readonly faults: readonly InputFault[] }> {
  const file = `${chain}.csv`;
  const { metricsFile, metricsLine } = INPUT_LIMITS;
  const source = await folder.open(file, metricsFile);
  const faults: InputFault[] = [];
  const table = createTableReader(chain, asOfMs, (fault) => faults.push(fault));
  const text = createTextReader(chunksWithin(source, metricsFile), metricsLine);
  try {
    const rows = await readRows(csvRows(text.lines()), table, faults);
    const end = text.end();
    if (rows !== undefined && end !== undefined) {
      table.end();
      for (const fault of endFaults(end, rows, check)) faults.push({ chain, file, ...fault });
    }
  } catch (error) {
    faults.push({ chain, file, ...describeReadError(error, UNREADABLE) });
  } finally {
    source.destroy();
  }
  if (faults.length > 0) return { faults: faults.slice(0, MAX_FAULTS_PER_FILE) };
  return { series: toInputSeries(chain, table.columns(), table.rows(), sources), faults };
}

/** Reads all rows and returns their number without the header; `undefined` if it stopped because of faults. */
async function readRows(
  rows: AsyncIterable<CsvRow>,
  table: TableReader,
  faults: readonly InputFault[],
): Promise<number | undefined> {
  let count = 0;
  for await (const row of rows) {
    if (count > 0) table.readRow(row);
    else if (!table.readHeader(row)) return undefined;
    count += 1;
    if (faults.length >= MAX_FAULTS_PER_FILE) return undefined;
  }
  return Math.max(0, count - 1);
}

/** Returns the signs that a file with this end is not the whole file, or not the file that it must be. */
function endFaults(end: TextEnd, rows: number, check: FileCheck | undefined): FileFault[] {
  const faults: FileFault[] = [];
  const remedy = 'copy the whole file again, or correct "files" in sources.json';
  if (end.lines > 0 && !end.hasFinalLineEnd)
    faults.push({
      line: end.lines,
      message: 'the last line has no line end, so the file may be cut off',
      remedy: 'copy the whole file again, or end the line with a line break',
    });
  if (check?.rows !== undefined && check.rows !== rows)
    faults.push({ message: `has ${count(rows, 'row')}, but sources.json names ${check.rows}`, remedy });
  if (check?.sha256 !== undefined && check.sha256 !== end.sha256)
    faults.push({ message: `has SHA-256 ${end.sha256}, but sources.json names ${check.sha256}`, remedy });
  return faults;
}
