/** A name in a key. Of the names with a leading dot, only the folder of well-known addresses (RFC 8615) is one. */
const NAME = String.raw`(?:\.well-known|(?!\.)[A-Za-z0-9._-]+)`;
const KEY = new RegExp(`^${NAME}(?:/${NAME})*$`);
/** Every possible beginning of a key. */
const PREFIX = new RegExp(String.raw`^(?:${NAME}/)*(?:${NAME}|\.[a-z-]*)?$`);

/** Accepts names separated by slashes, each of letters, digits, dots, dashes and underscores, and without a leading dot unless it is `.well-known`. */
export function isKey(text: string): boolean {
  return KEY.test(text);
}

/** Returns whether some key may begin with `text`. */
export function isKeyPrefix(text: string): boolean {
  return PREFIX.test(text);
}

/** Returns `text` if it is a key. @throws TypeError for any other text. */
export function assertKey(text: string): string {
  if (!isKey(text)) throw new TypeError(`"${text}" is not a valid object key`);
  return text;
}
