import { crc32 } from '../../schemas/digest.js';

/** Whether keys are for use or for trying things out; a gateway knows one kind alone. */
export type KeyMode = 'live' | 'test';

/** An API key. `text` is the secret whole: it is shown once and written nowhere. */
export type ApiKey = { readonly id: string; readonly mode: KeyMode; readonly text: string };

/** The modes of keys. */
export const KEY_MODES = ['live', 'test'] as const satisfies readonly KeyMode[];

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const ID_LENGTH = 8;
const SECRET_LENGTH = 32;
const CHECKSUM_LENGTH = 6;
const ID_START = 'crd_live_'.length;
const LENGTH = ID_START + ID_LENGTH + 1 + SECRET_LENGTH + CHECKSUM_LENGTH;
const KEY = /^crd_(live|test)_([0-9A-Za-z]{8})_[0-9A-Za-z]{38}$/;
const ID = /^[0-9A-Za-z]{8}$/;

/** Bytes from here on are thrown away: they would make the first digits likelier than the last. */
const FAIR_BYTES = 256 - (256 % DIGITS.length);

/**
 * A new key of `mode` with 190 random bits of secret. Source: contract.md §2.
 * Precondition: `random` gives as many unpredictable bytes as it is asked for.
 */
export function createApiKey(mode: KeyMode, random: (size: number) => Uint8Array): ApiKey {
  const drawn = drawDigits(ID_LENGTH + SECRET_LENGTH, random);
  const id = drawn.slice(0, ID_LENGTH);
  const body = `crd_${mode}_${id}_${drawn.slice(ID_LENGTH)}`;
  return { id, mode, text: body + checksumOf(body) };
}

/**
 * The key that a text is; `undefined` for any other text: of another form, with a wrong checksum, or of another mode.
 * The checksum finds typing errors; that the key was ever issued is for the accounts store to say.
 */
export function parseApiKey(text: string, mode: KeyMode): ApiKey | undefined {
  if (text.length !== LENGTH) return undefined;
  const [, named, id] = KEY.exec(text) ?? [];
  if (id === undefined || named !== mode) return undefined;
  const body = text.slice(0, -CHECKSUM_LENGTH);
  return checksumOf(body) === text.slice(-CHECKSUM_LENGTH) ? { id, mode, text } : undefined;
}

/** The part of a text that is the id, if the text is a key. */
export function idOf(text: string): string {
  return text.slice(ID_START, ID_START + ID_LENGTH);
}

/** Whether a text has the form of a key's id. */
export function isKeyId(text: string): boolean {
  return ID.test(text);
}

function drawDigits(count: number, random: (size: number) => Uint8Array): string {
  let digits = '';
  while (digits.length < count) {
    for (const byte of random(count - digits.length)) {
      if (byte < FAIR_BYTES) digits += DIGITS.charAt(byte % DIGITS.length);
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
