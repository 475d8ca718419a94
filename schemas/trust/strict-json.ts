/** Limits of bytes, depth, values and quotation marks, as the Python client has them: they bound the memory that parsing takes. */
const MAX_BYTES = 2 ** 24;
const MAX_DEPTH = 32;
const MAX_VALUES = 1_000_000;
const MAX_QUOTES = 2 * MAX_VALUES;

const [QUOTE, BACKSLASH, COLON, COMMA] = [0x22, 0x5c, 0x3a, 0x2c] as const;
const OPENING: ReadonlySet<number> = new Set([0x5b, 0x7b]); // [ {
const CLOSING: ReadonlySet<number> = new Set([0x5d, 0x7d]); // ] }

/** A JSON text and its value. */
type ParsedJson = { readonly text: string; readonly value: unknown };

/**
 * Parses JSON that nobody may have signed: strict UTF-8 without a byte order mark, no repeated members, only finite numbers,
 * no half of a character, and at most 16 MiB, 32 levels, a million values and two million quotation marks. `undefined` for any
 * other bytes.
 */
export function parseStrict(bytes: Uint8Array): ParsedJson | undefined {
  if (bytes.length > MAX_BYTES || countQuotes(bytes) > MAX_QUOTES) return undefined;
  const members = countMembers(bytes);
  if (members === undefined) return undefined;
  try {
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    const value: unknown = JSON.parse(text);
    return countOwn(value) === members ? { text, value } : undefined;
  } catch {
    return undefined;
  }
}

function countQuotes(bytes: Uint8Array): number {
  let quotes = 0;
  for (const byte of bytes) if (byte === QUOTE) quotes += 1;
  return quotes;
}

/** Returns the number of members that a JSON text writes, with repeated ones; `undefined` if it is beyond the limits. */
function countMembers(bytes: Uint8Array): number | undefined {
  let [depth, values, members] = [0, 0, 0];
  let isText = false;
  for (let i = 0; i < bytes.length; i += 1) {
    const byte = bytes[i] ?? 0;
    if (isText) {
      if (byte === BACKSLASH) i += 1;
      else isText = byte !== QUOTE;
      continue;
    }
    isText = byte === QUOTE;
    if (byte === COLON) members += 1;
    if (OPENING.has(byte)) depth += 1;
    if (CLOSING.has(byte)) depth -= 1;
    if (byte === COMMA || OPENING.has(byte)) values += 1;
    if (depth > MAX_DEPTH || values > MAX_VALUES) return undefined;
  }
  return members;
}

/** Returns the number of members of all objects in a value; NaN if it has a number that is not finite, or half of a character. */
function countOwn(value: unknown): number {
  if (typeof value === 'number') return Number.isFinite(value) ? 0 : NaN;
  if (typeof value === 'string') return value.isWellFormed() ? 0 : NaN;
  if (typeof value !== 'object' || value === null) return 0;
  const names = Array.isArray(value) ? [] : Object.keys(value);
  if (!names.every((name) => name.isWellFormed())) return NaN;
  const inside: readonly unknown[] = Object.values(value);
  return inside.reduce((sum: number, each) => sum + countOwn(each), names.length);
}
