import type { DayRecord } from '../records/day-writers.js';

/** A value of a table; null if it is missing. */
export type Cell = string | number | boolean | null;

export type CellType = 'date' | 'string' | 'number' | 'integer' | 'boolean';

/** A column of a volume. `T` is what its cells are read from. */
export type Column<T> = {
  readonly name: string;
  readonly type: CellType;
  readonly unit?: string;
  readonly description: string;
  /** True if every row has a value. */
  readonly required?: boolean;
  readonly read: (from: T) => Cell;
};

/** A version of a date: its record, and from when to when it was what the service said. */
export type VersionRow = {
  readonly date: string;
  readonly chain: string;
  /** Null while the date is withdrawn. */
  readonly record: DayRecord | null;
  readonly status: string;
  readonly backfilled: boolean;
  readonly methodologyVersion: string;
  readonly revision: string;
  readonly inForceFrom: string;
  /** Null for the version that is in force. */
  readonly inForceUntil: string | null;
};

/** Returns a column of numbers. */
export function numbers<T>(
  name: string,
  unit: string,
  description: string,
  read: Column<T>['read'],
): Column<T> {
  return { name, type: 'number', unit, description, read };
}

/** Returns a column of texts. */
export function texts<T>(name: string, description: string, read: Column<T>['read']): Column<T> {
  return { name, type: 'string', description, read };
}
