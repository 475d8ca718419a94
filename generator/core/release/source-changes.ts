import { canonicalJson } from '../../../schemas/canonical-json.js';
import type { SourceChange, SourceSegment } from '../../../schemas/types.generated.js';

/** Returns the segments that differ, in the order of their first dates. A segment is known by its first date. */
export function findSourceChanges(
  before: readonly SourceSegment[],
  after: readonly SourceSegment[],
): SourceChange[] {
  const starts = [...new Set([...before, ...after].map(startOf))].sort();
  return starts.flatMap((start) => {
    const from = before.find((segment) => startOf(segment) === start) ?? null;
    const to = after.find((segment) => startOf(segment) === start) ?? null;
    return canonicalJson(from) === canonicalJson(to) ? [] : [{ from, to }];
  });
}

/** Describes changed sources in one line: `sources changed: coinmetrics CC-BY-NC 4.0 -> CC-BY 4.0`. */
export function describeSourceChanges(changes: readonly SourceChange[]): string {
  return `sources changed: ${changes.map(describeChange).join('; ')}`;
}

function describeChange({ from, to }: SourceChange): string {
  const start = startOf(to ?? from);
  const since = start === '' ? '' : ` (from ${start})`;
  if (from === null || to === null) return `${nameOf(from)} -> ${nameOf(to)}${since}`;
  const details = (['attribution', 'url', 'notes', 'schedule'] as const).filter(
    (member) => canonicalJson(from[member] ?? null) !== canonicalJson(to[member] ?? null),
  );
  const also = details.length === 0 ? '' : `, with another ${details.join(', ')}`;
  if (from.name !== to.name) return `${nameOf(from)} -> ${nameOf(to)}${also}${since}`;
  if (from.licence !== to.licence) return `${nameOf(from)} -> ${to.licence}${also}${since}`;
  return `${nameOf(to)}: ${details.join(', ')}${since}`;
}

function nameOf(segment: SourceSegment | null): string {
  return segment === null ? 'none' : `${segment.name} ${segment.licence}`;
}

function startOf(segment: SourceSegment | null): string {
  return segment?.from ?? '';
}
