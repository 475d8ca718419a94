import { crc32 } from '../../../schemas/digest.js';

/** The purpose of a key. A gateway accepts the keys of one mode. */
export type KeyMode = 'live' | 'test';

/** An API key. `text` contains the secret: it is shown once and never stored. */
export type ApiKey = { readonly id: string; readonly mode: KeyMode; readonly text: string };

/** How every API key begins, and no session. */
export const KEY_PREFIX = 'crd_';
/** What answers 401 ask for (RFC 6750 §3). */
export const KEY_CHALLENGE = 'Bearer realm="files"';
export const KEY_MODES = ['live', 'test'] as const satisfies readonly KeyMode[];

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const ID_LENGTH = 8;
const SECRET_LENGTH = 32;
const CHECKSUM_LENGTH = 6;
const ID_START = 'crd_live_'.length;
const LENGTH = ID_START + ID_LENGTH + 1 + SECRET_LENGTH + CHECKSUM_LENGTH;
const KEY = /^crd_(live|test)_([0-9A-Za-z]{8})_[0-9A-Za-z]{38}$/;
const ID = /^[0-9A-Za-z]{8}$/;

/** Bytes from this value on are discarded: they would make the first digits more likely than the others. */
const BYTE_LIMIT = 256 - (256 % DIGITS.length);

/**
 * Creates a key of `mode` with a secret of 190 random bits.
 * Precondition: `random` returns as many cryptographically secure bytes as requested.
 */
export function createApiKey(mode: KeyMode, random: (size: number) => Uint8Array): ApiKey {
  const drawn = drawDigits(ID_LENGTH + SECRET_LENGTH, random);
  const id = drawn.slice(0, ID_LENGTH);
  const body = `crd_${mode}_${id}_${drawn.slice(ID_LENGTH)}`;
  return { id, mode, text: body + checksumOf(body) };
}

/**
 * Parses a key; returns `undefined` for a text of another form or mode, or with a wrong checksum. The checksum only
 * detects typing errors: a key that parses need not exist.
 */
export function parseApiKey(text: string, mode: KeyMode): ApiKey | undefined {
  if (text.length !== LENGTH) return undefined;
  const [, named, id] = KEY.exec(text) ?? [];
  if (id === undefined || named !== mode) return undefined;
  const body = text.slice(0, -CHECKSUM_LENGTH);
  return checksumOf(body) === text.slice(-CHECKSUM_LENGTH) ? { id, mode, text } : undefined;
}

/** Returns the characters at the position of the key id, without checking that the text is a key. */
export function idOf(text: string): string {
  return text.slice(ID_START, ID_START + ID_LENGTH);
}

/** Returns whether a text has the form of a key id. */
export function isKeyId(text: string): boolean {
  return ID.test(text);
}

function drawDigits(count: number, random: (size: number) => Uint8Array): string {
  let digits = '';
  while (digits.length < count) {
    for (const byte of random(count - digits.length)) {
      if (byte < BYTE_LIMIT) digits += DIGITS.charAt(byte % DIGITS.length);
    }
  }
  return digits;
}

function checksumOf(body: string): string {
  let rest = crc32(body);
  let digits = '';
  for (let i = 0; i < CHECKSUM_LENGTH; i += 1) {
    digits = DIGITS.charAt(rest % DIGITS.length) + digits;
    rest = Math.floor(rest / DIGITS.length);
  }
  return digits;
}
