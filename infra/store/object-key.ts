const KEY = /^(?!\.)[A-Za-z0-9._-]+(\/(?!\.)[A-Za-z0-9._-]+)*$/;

/** Whether a text is a key: segments of letters, digits, dots, dashes and underscores, none with a leading dot. */
export function isKey(text: string): boolean {
  return KEY.test(text);
}

/** Passes a key on. @throws TypeError for any other text. */
export function assertKey(text: string): string {
  if (!isKey(text)) throw new TypeError(`not a key: ${text}`);
  return text;
}
