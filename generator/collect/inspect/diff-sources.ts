import type { Chain } from '../../../schemas/types.generated.js';
import { compareSeries, type MetricComparison } from '../../core/collection/compare-series.js';
import type { DayValues } from '../../core/collection/values/day-values.js';
import { GeneratorError } from '../../core/generator-error.js';
import { SourceError, type Source } from '../../sources/source.js';

/** Options for `diffSources`: two sources, and the dates to compare. */
type DiffOptions = {
  readonly chain: Chain;
  readonly a: Source;
  readonly b: Source;
  readonly span: { readonly first: string; readonly last: string };
  readonly signal: AbortSignal;
  /** Called after each date that a source offers. */
  readonly onDate: () => void;
};

/**
 * Reads dates of a chain from two sources, and compares them metric by metric. The rules are not applied.
 * @throws GeneratorError 'store-unavailable' if a source does not answer or is not up to date, 'input-invalid' if it answers in
 * another form.
 */
export async function diffSources(options: DiffOptions): Promise<MetricComparison[]> {
  try {
    return compareSeries(await readValues(options, options.a), await readValues(options, options.b));
  } catch (error) {
    if (!(error instanceof SourceError)) throw error;
    const exit = error.code === 'shape' ? 'input-invalid' : 'store-unavailable';
    throw new GeneratorError(exit, error.message, { cause: error });
  }
}

async function readValues(
  { chain, span, signal, onDate }: DiffOptions,
  source: Source,
): Promise<ReadonlyMap<string, DayValues>> {
  const values = new Map<string, DayValues>();
  const dates = [...(await source.days(chain, span, signal)).keys()].sort();
  for (const date of dates) {
    signal.throwIfAborted();
    const day = await readIfThere(() => source.day(chain, date, signal));
    const [failure] = day?.failures ?? [];
    if (failure !== undefined) throw new SourceError('unavailable', failure);
    if (day !== undefined) values.set(date, day.values);
    onDate();
  }
  return values;
}

async function readIfThere<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof SourceError && error.code === 'not-yet') return undefined;
    throw error;
  }
}
