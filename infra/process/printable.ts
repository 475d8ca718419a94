/**
 * What a terminal shows: texts from files, stores, nodes and services cannot move its cursor, change its colours or reorder a
 * line. The Python client shows them in the same way.
 */

/** Control, formatting and unassigned characters, halves of characters, and separators of lines; but not a line feed. */
const HIDDEN = /[^\P{C}\n]|[\p{Zl}\p{Zp}]/gu;

const ESCAPE = String.fromCodePoint(0x1b);
const WORDS = '[\\w :-]{1,40}';
/** A few words in a colour or in bold, with its end: what `paint.ts` and help write. */
const COLOURED = new RegExp(`(${ESCAPE}\\[(?:3[1-3]m${WORDS}${ESCAPE}\\[39m|1m${WORDS}${ESCAPE}\\[22m))`);

/** Returns a text of several lines, in which "?" replaces what a terminal does not show. */
export function printable(text: string): string {
  return text.replace(HIDDEN, '?');
}

/** Returns a text of several lines that may have colours already. */
export function printableColoured(text: string): string {
  return text
    .split(COLOURED)
    .map((part, i) => (i % 2 === 1 ? part : printable(part)))
    .join('');
}

/** Returns a text that may have colours as one line. */
export function printableCell(text: string): string {
  return printableColoured(text).replaceAll('\n', '?');
}

/** Returns the JSON text of a value for people, in which what a terminal does not show is escaped. */
export function shownJson(value: object): string {
  return escapeHidden(JSON.stringify(value, null, 2));
}

/** A destination of a log, as pino writes to it. */
type LogDestination = { write: (line: string) => void };

/** Returns the destination of a log of JSON lines, in which what a terminal does not show is escaped. */
export function printableLog(destination: LogDestination): LogDestination {
  return { write: (line) => destination.write(escapeHidden(line)) };
}

/** Returns a JSON text with the same value. */
function escapeHidden(json: string): string {
  return json.replace(HIDDEN, (hidden) =>
    hidden
      .split('') // a character beyond U+FFFF is two units
      .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      .join(''),
  );
}
