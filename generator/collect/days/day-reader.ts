import type { Chain, MetricName } from '../../../schemas/types.generated.js';
import type { CollectedDay } from '../../core/collection/values/collected-day.js';
import { metricsIn, pickValues } from '../../core/collection/values/day-values.js';
import { SourceError, type Source } from '../../sources/source.js';

/** Dates that the sources of a chain offer, and their reading. */
export type DayReader = {
  /** Returns the mark of a date; `undefined` if the source does not have it. */
  readonly markOf: (source: Source, date: string) => string | undefined;
  /** Returns the mark of a date whose data were all read; `undefined` if they were not. */
  readonly readMarkOf: (source: Source, date: string) => string | undefined;
  /** Returns whether a date could not be read, or not with all of its values. */
  readonly hasFailed: (source: Source, date: string) => boolean;
  /** Reads a date, once. Resolves to `undefined` if the source does not have it after all. @throws SourceError */
  readonly read: (
    source: Source,
    date: string,
    metrics?: readonly MetricName[],
  ) => Promise<CollectedDay | undefined>;
  /** Forgets the days before a date. */
  readonly forgetBefore: (date: string) => void;
  /** The failures of sources, or parts of them, that a chain can do without, as sentences. */
  readonly failures: readonly string[];
  /** Why the main source did not give dates that it offers. They are read again by the next collection. */
  readonly mainFailures: readonly SourceError[];
};

/** Number of dates that the main source may fail to give before the others are not tried. */
const MOST_FAILURES = 3;

/** Options for `openDays`. */
type OpenDaysOptions = {
  /** First date that a later collection reads again. Before it, every failure of a source ends the collection. */
  readonly oldest: string;
  readonly chain: Chain;
  /** The first is the main source; of the others, a failure is only noted. */
  readonly sources: readonly [Source, ...Source[]];
  readonly span: { readonly first: string; readonly last: string };
  readonly signal: AbortSignal;
};

/** Asks sources for the dates that they have. @throws SourceError if the first one does not answer as expected */
export async function openDays(options: OpenDaysOptions): Promise<DayReader> {
  const { chain, sources, span, oldest, signal } = options;
  const [main] = sources;
  const failures: string[] = [];
  const mainFailures: SourceError[] = [];
  const offers = new Map<string, ReadonlyMap<string, string>>();
  for (const source of sources) {
    const offered = source.days(chain, span, signal);
    const mustAnswer = source === main || span.first < oldest;
    offers.set(source.facts.id, mustAnswer ? await offered : await offered.catch(note));
  }
  const days = new Map<string, Promise<CollectedDay | undefined>>();
  const wasRead = new Set<string>();
  const failed = new Set<string>();
  const nameOf = (source: Source, date: string): string => `${date} ${source.facts.id}`;

  function note(error: unknown): ReadonlyMap<string, string> {
    if (!(error instanceof SourceError)) throw error;
    addOnce(failures, error.message);
    return new Map();
  }

  async function readDay(source: Source, date: string): Promise<CollectedDay | undefined> {
    if (offers.get(source.facts.id)?.has(date) !== true) return undefined;
    try {
      const day = await source.day(chain, date, signal);
      const { failures: missed = [] } = day;
      if (missed.length > 0 && date < oldest) throw new SourceError('unavailable', missed.join(' '));
      missed.forEach((failure) => addOnce(failures, failure));
      (missed.length === 0 ? wasRead : failed).add(nameOf(source, date));
      return day;
    } catch (error) {
      if (!(error instanceof SourceError)) throw error;
      if (error.code === 'not-yet') return undefined;
      failed.add(nameOf(source, date));
      if (date < oldest) throw error; // the date would stay without its values for ever
      if (source !== main) note(error);
      else if (mainFailures.push(error) > MOST_FAILURES) throw error;
      return undefined;
    }
  }

  return {
    failures,
    mainFailures,
    hasFailed: (source, date) => failed.has(nameOf(source, date)),
    markOf: (source, date) => offers.get(source.facts.id)?.get(date),
    readMarkOf: (source, date) =>
      wasRead.has(nameOf(source, date)) ? offers.get(source.facts.id)?.get(date) : undefined,
    async read(source, date, metrics) {
      const name = nameOf(source, date);
      const reading = days.get(name) ?? readDay(source, date);
      days.set(name, reading);
      const day = await reading;
      if (day === undefined || metrics === undefined) return day;
      const taken = metricsIn(day.values).filter((metric) => metrics.includes(metric));
      return { ...day, values: pickValues(day.values, taken) };
    },
    forgetBefore(date) {
      for (const name of days.keys()) if (name < date) days.delete(name); // names begin with their date
    },
  };
}

function addOnce(texts: string[], text: string): void {
  if (!texts.includes(text)) texts.push(text);
}
