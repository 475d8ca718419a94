import { CHAINS, LABEL_MEANINGS } from '../../../schemas/catalog.js';
import { addDays, toDayNumber } from '../../../schemas/dates.js';
import { dayPagePath, regimeEventsPath } from '../../../schemas/paths.js';
import type {
  Chain,
  LabelRun,
  ManifestDate,
  ManifestRevisions,
  RegimeLabel,
} from '../../../schemas/types.generated.js';
import { type FileTemplate, ICS_TYPE } from '../artifacts/artifact.js';
import { toLabelRuns } from '../artifacts/regime-calendar.js';
import { type FeedSite, ID_AUTHORITY } from './atom.js';

/** Options for `regimeEventsFile`. */
type RegimeEventsOptions = {
  readonly chain: Chain;
  /** All dates in force, ascending, at least one. */
  readonly history: readonly { readonly date: string; readonly label: RegimeLabel }[];
  /** The dates of the manifest of meta, also withdrawn ones. */
  readonly entries: readonly Pick<ManifestDate, 'date' | 'in_force_from'>[];
  readonly revisions: ManifestRevisions;
};

/**
 * Returns the calendar of a chain for subscribing (iCalendar, RFC 5545): each run of a label is an event of whole days, and
 * the last one is ongoing. An event is of the newest revision of its dates and the two beside them, which decide where it
 * begins and ends. Its SEQUENCE is a number of that revision.
 */
export function regimeEventsFile(
  { name: siteName, address }: FeedSite,
  { chain, history, entries, revisions }: RegimeEventsOptions,
): FileTemplate {
  const { name } = CHAINS[chain];
  const inForceFrom = new Map(entries.map((entry) => [entry.date, entry.in_force_from]));
  const runs = toLabelRuns(history);
  const events = runs.flatMap((run) => {
    const revision = newestRevision(run, inForceFrom);
    const { published_at: publishedAt = '' } = revisions[revision] ?? {};
    return [
      'BEGIN:VEVENT',
      `UID:${chain}-regime-${run.first}@${ID_AUTHORITY}`,
      `DTSTAMP:${publishedAt.replace(/[-:]/g, '')}`,
      `SEQUENCE:${sequenceOf(revision)}`,
      `DTSTART;VALUE=DATE:${basicDate(run.first)}`,
      `DTEND;VALUE=DATE:${basicDate(addDays(run.last, 1))}`,
      `SUMMARY:${escapeText(`${name}: ${run.label}${run === runs.at(-1) ? ' (ongoing)' : ''}`)}`,
      `DESCRIPTION:${escapeText(`${LABEL_MEANINGS[run.label]}.`)}`,
      `URL:${address}${dayPagePath(chain, run.first)}`,
      'TRANSP:TRANSPARENT', // nobody is busy
      'END:VEVENT',
    ];
  });
  const lines = [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    `PRODID:-//${ID_AUTHORITY}//regimes//EN`,
    'CALSCALE:GREGORIAN',
    `X-WR-CALNAME:${escapeText(`${siteName}: ${name}`)}`,
    ...events,
    'END:VCALENDAR',
  ];
  return {
    path: regimeEventsPath(chain),
    type: ICS_TYPE,
    content: () => {
      const value = lines.map((line) => `${foldLine(line)}\n`).join('');
      const bytes = Buffer.from(value.replaceAll('\n', '\r\n')); // texts of the contract have no CR
      return { schema: 'text', value, text: '', bytes };
    },
  };
}

function newestRevision({ first, last }: LabelRun, inForceFrom: ReadonlyMap<string, string>): string {
  let newest = '';
  for (let day = toDayNumber(first) - 1; day <= toDayNumber(last) + 1; day += 1) {
    const revision = inForceFrom.get(addDays('1970-01-01', day)) ?? '';
    if (revision > newest) newest = revision;
  }
  return newest;
}

/** Returns a number that rises with the revision, up to 9,999 of them a day; below 2^31 until the year 2557. */
function sequenceOf(revision: string): number {
  const [date = '', number] = revision.split('.');
  return toDayNumber(date) * 10_000 + Number(number);
}

const basicDate = (date: string): string => date.replaceAll('-', '');

/** Escapes a text value (RFC 5545 §3.3.11). */
function escapeText(text: string): string {
  return text.replace(/[\\;,]/g, (each) => `\\${each}`).replace(/\r?\n/g, '\\n');
}

/** Folds a line so that no part is longer than 75 octets, without cutting a character (RFC 5545 §3.1). */
function foldLine(line: string): string {
  let folded = '';
  let length = 0;
  for (const character of line) {
    const size = Buffer.byteLength(character);
    if (length + size > 75) {
      folded += '\n ';
      length = 1;
    }
    folded += character;
    length += size;
  }
  return folded;
}
