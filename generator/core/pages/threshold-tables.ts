import type { Methodology } from '../../../schemas/types.generated.js';

/** A member of the methodology's data with its value. */
export type ThresholdRow = { readonly name: string; readonly value: string };

/** The rows of one group, named after its top-level member. */
export type ThresholdTable = { readonly group: string; readonly rows: readonly ThresholdRow[] };

/** Members that are not thresholds: metadata and formulas. */
const EXCLUDED: ReadonlySet<string> = new Set([
  'schema',
  'version',
  'effective_date',
  'summary',
  'quantities',
]);
/** Members that identify an element of a list. */
const NAMES = ['signal', 'level', 'dimension'] as const;

/** Returns all thresholds of a methodology: one table per top-level member, with single numbers together in the first. */
export function thresholdTables(methodology: Methodology): ThresholdTable[] {
  const members = Object.entries(methodology).filter(([name]) => !EXCLUDED.has(name));
  const isSingle = (value: unknown): boolean => typeof value !== 'object';
  const single = members
    .filter(([, value]) => isSingle(value))
    .flatMap(([name, value]) => flatten(value, name));
  const groups = members
    .filter(([, value]) => !isSingle(value))
    .map(([group, value]) => ({ group, rows: flatten(value, '') }));
  return single.length === 0 ? groups : [{ group: 'limits', rows: single }, ...groups];
}

function flatten(value: unknown, name: string): ThresholdRow[] {
  if (Array.isArray(value) && value.every((each) => typeof each !== 'object')) {
    return [{ name, value: value.map(String).join(', ') }];
  }
  if (typeof value !== 'object' || value === null) return [{ name, value: String(value) }];
  const entries = Array.isArray(value) ? value.map(toNamed) : Object.entries(value);
  return entries.flatMap(([key, each]) => flatten(each, name === '' ? key : `${name}.${key}`));
}

/** Returns a list element under the name that identifies it, without that member; otherwise under its position. */
function toNamed(value: unknown, i: number): [string, unknown] {
  const record = value as Readonly<Record<string, unknown>>; // `flatten` handled the lists of plain values before
  const member = NAMES.find((each) => typeof record[each] === 'string');
  if (member === undefined) return [String(i + 1), value];
  const { [member]: name, ...rest } = record;
  return [String(name), rest];
}
