/**
 * The RFC 8785 (JCS) text of a JSON value: members sorted by UTF-16 code units, no white space, ECMAScript numbers.
 * Parsing and serializing the text again gives the same text.
 * @throws TypeError naming the path of anything that JSON cannot say exactly: `undefined`, NaN and infinities, lone
 * surrogates, bigints, functions, symbols, and objects that are neither plain nor arrays.
 */
export function canonicalJson(value: unknown): string {
  return write(value, '$');
}

function write(value: unknown, path: string): string {
  switch (typeof value) {
    case 'string':
      return writeString(value, path);
    case 'number':
      if (!Number.isFinite(value)) throw new TypeError(`${path}: ${value} is not a JSON number`);
      return String(value);
    case 'boolean':
      return value ? 'true' : 'false';
    case 'object':
      if (value === null) return 'null';
      return Array.isArray(value) ? writeArray(value, path) : writeObject(value, path);
    default:
      throw new TypeError(`${path}: ${typeof value} is not a JSON value`);
  }
}

function writeString(value: string, path: string): string {
  if (!value.isWellFormed()) throw new TypeError(`${path}: a lone surrogate is not text`);
  return JSON.stringify(value);
}

function writeArray(items: readonly unknown[], path: string): string {
  let text = '[';
  for (let i = 0; i < items.length; i += 1) {
    text += (i === 0 ? '' : ',') + write(items[i], `${path}[${i}]`);
  }
  return text + ']';
}

function writeObject(value: object, path: string): string {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) throw new TypeError(`${path}: not a plain object`);
  if (Object.getOwnPropertySymbols(value).length > 0) throw new TypeError(`${path}: a symbol is not a name`);
  let text = '{';
  for (const [key, member] of Object.entries(value).sort(byCodeUnits)) {
    text += (text === '{' ? '' : ',') + writeString(key, path) + ':' + write(member, `${path}.${key}`);
  }
  return text + '}';
}

function byCodeUnits([a]: [string, unknown], [b]: [string, unknown]): number {
  return a < b ? -1 : 1;
}
