import type { Chain } from '../../schemas/types.generated.js';
import type { CollectedDay } from '../core/collection/day-values.js';
import { isJsonNumber } from '../core/collection/decimal.js';

/** A place that daily metrics come from. Every adapter must pass test/contract/source.ts. */
export type Source = {
  readonly facts: SourceFacts;
  /**
   * Returns the dates from `first` to `last` that the source has, each with a mark of its data: a date with the same mark
   * as before need not be read again. @throws SourceError
   */
  readonly days: (
    chain: Chain,
    span: { readonly first: string; readonly last: string },
    signal: AbortSignal,
  ) => Promise<ReadonlyMap<string, string>>;
  /** Reads a date that `days` returned. What does not answer may be left out if `failures` names it. @throws SourceError */
  readonly day: (chain: Chain, date: string, signal: AbortSignal) => Promise<CollectedDay>;
  /**
   * Compares the form of what the source serves now with what its adapter expects, item by item: columns, units, fields.
   * A difference is a result, not an error. @throws SourceError 'unavailable'
   */
  readonly probe: (chain: Chain, signal: AbortSignal) => Promise<readonly Probe[]>;
};

/** An item that an adapter expects of its source, and what the source has there. */
export type Probe = {
  /** Such as `column gas_used of base/blocks`. */
  readonly item: string;
  readonly expected: string;
  readonly found: string;
  readonly agrees: boolean;
};

/** The terms and definitions of a source. */
export type SourceFacts = {
  /** Name in the policy, such as `growthepie`. */
  readonly id: string;
  readonly name: string;
  readonly url: string;
  readonly licence: string;
  /** `yes` if the licence lets the data be sold. */
  readonly resale: 'yes' | 'no' | 'unknown';
  /** Text that readers of the data must see; `null` if none is required. */
  readonly attribution: string | null;
  /** Time of day (UTC) from which the day before is complete. */
  readonly completeFrom: string;
  /** Days within which the source still revises a value. */
  readonly settlingDays: number;
  readonly requestsPerMinute: number;
  /** True if data can still change for some hours while their marks stay: dates that are awaited are read again. */
  readonly hasLateMarks?: boolean;
  /** Definitions of the source that differ from the glossary. */
  readonly definitions: readonly string[];
};

/**
 * Why a source gave nothing: `not-yet` if the date is not complete there, `shape` if it answered in another form than
 * expected, `unavailable` if it did not answer.
 */
export type SourceErrorCode = 'not-yet' | 'shape' | 'unavailable';

/** A failure of a source. The message is for an operator. */
export class SourceError extends Error {
  readonly code: SourceErrorCode;

  constructor(code: SourceErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'SourceError';
    this.code = code;
  }
}

/** A status with which a service refuses a request, and which another try would not change. */
export class StatusError extends SourceError {
  readonly status: number;

  constructor(status: number, message: string) {
    super('shape', message);
    this.name = 'StatusError';
    this.status = status;
  }
}

/** Status 404: the service does not have what was requested, or no longer. */
export class NotFoundError extends StatusError {
  constructor(message: string) {
    super(404, message);
    this.name = 'NotFoundError';
  }
}

/** An answer of more bytes than were allowed. */
export class TooLargeError extends SourceError {
  constructor(message: string) {
    super('shape', message);
    this.name = 'TooLargeError';
  }
}

/** An error in the answers of a service that may pass, but is still there after the waits. */
export class PersistentError extends SourceError {}

/** Returns the error of an answer that differs from what is expected at `where`. */
export function shapeError(where: string, expected: string, got: string): SourceError {
  const shown = got.replace(/\p{C}/gu, '?').slice(0, 80);
  return new SourceError('shape', `${where}: expected ${expected}, got ${shown}.`);
}

/** Describes a parsed value that has another type than expected. Texts are quoted. */
export function describeValue(value: unknown): string {
  if (value === undefined) return 'no such field';
  if (value === null) return 'null';
  if (typeof value === 'string') return `"${value}"`;
  if (isJsonNumber(value)) return `the number ${value.number}`;
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'boolean' ? 'a boolean' : 'an object';
}

/** Runs a reading once per name, and again only if it failed. Each name must always be used with one type. */
type ReadOnce = <T>(name: string, read: () => Promise<T>) => Promise<T>;

/** Creates a function that keeps its readings for as long as it lives. */
export function createReadOnce(): ReadOnce {
  const readings = new Map<string, Promise<unknown>>();
  return <T>(name: string, read: () => Promise<T>) => {
    const known = readings.get(name) as Promise<T> | undefined; // each name has one type
    if (known !== undefined) return known;
    const reading = read();
    readings.set(name, reading);
    void reading.catch(() => readings.delete(name));
    return reading;
  };
}

/** Returns what a reading gives, or the difference that it found. @throws SourceError 'unavailable' */
export async function probeReading<T>(
  item: string,
  expected: string,
  read: () => Promise<T>,
): Promise<{ readonly value: T } | { readonly difference: Probe }> {
  try {
    return { value: await read() };
  } catch (error) {
    if (!(error instanceof SourceError) || error.code === 'unavailable') throw error;
    return { difference: { item, expected, found: error.message, agrees: false } };
  }
}

/** Compares the magnitude of a number with that of its unit: at least `least`, at most `most`. */
export function probeMagnitude(
  item: string,
  value: string | undefined,
  [least, most]: readonly [least: number, most: number],
): Probe {
  const agrees = value !== undefined && Number(value) >= least && Number(value) <= most;
  return { item, expected: `between ${least} and ${most}`, found: value ?? 'none', agrees };
}
