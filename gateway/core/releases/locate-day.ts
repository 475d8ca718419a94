import { GENRES } from '../../../schemas/catalog.js';
import { addDays, toDate } from '../../../schemas/dates.js';
import { archivePath } from '../../../schemas/paths.js';
import { type DayFile, type DayLocation, type DayRequest, FREE_DAYS } from '../http/day-page.js';
import { type DayIndex, findVersion } from './day-index.js';
import type { ReleaseView } from './release-view.js';

/** Looks up the records of a day in a release. */
export function locateDay({ days }: ReleaseView, { chain, date }: DayRequest): DayLocation {
  const meta = days.get(archivePath('meta', chain));
  if (meta === undefined) return { kind: 'absent' };
  const version = findVersion(meta, date, null);
  if (version === undefined)
    return { kind: 'absent', dates: [toDate(meta.days[0] ?? 0), meta.updatedThrough] };
  if (version.kind === 'withdrawn') return { kind: 'gone' };
  const files = GENRES.flatMap((genre): DayFile[] => {
    const index = days.get(archivePath(genre, chain));
    const found = index && findVersion(index, date, null);
    return found?.kind === 'published' ? [{ genre, sha256: found.sha256, revision: found.revision }] : [];
  });
  return {
    kind: 'found',
    files,
    isFree: date > addDays(meta.updatedThrough, -FREE_DAYS),
    before: inForce(meta, date, -1),
    after: inForce(meta, date, 1),
  };
}

/** Returns the date beside another one, if it is in force. */
function inForce(index: DayIndex, date: string, step: 1 | -1): string | undefined {
  const beside = addDays(date, step);
  return findVersion(index, beside, null)?.kind === 'published' ? beside : undefined;
}
