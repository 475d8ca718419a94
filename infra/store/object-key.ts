const KEY = /^(?!\.)[A-Za-z0-9._-]+(\/(?!\.)[A-Za-z0-9._-]+)*$/;

/** Accepts segments separated by slashes, each of letters, digits, dots, dashes and underscores, and without a leading dot. */
export function isKey(text: string): boolean {
  return KEY.test(text);
}

/** Returns `text` if it is a key. @throws TypeError for any other text. */
export function assertKey(text: string): string {
  if (!isKey(text)) throw new TypeError(`"${text}" is not a valid object key`);
  return text;
}
