/**
 * Returns the RFC 8785 (JCS) text of a JSON value: members sorted by UTF-16 code units, no white space, ECMAScript
 * numbers. Parsing and serializing the text again gives the same text.
 * @throws TypeError with the path of a value that JSON cannot represent exactly: `undefined`, NaN, infinities, lone
 * surrogates, bigints, functions, symbols, and objects that are neither plain nor arrays.
 */
export function canonicalJson(value: unknown): string {
  try {
    return write(value, undefined);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return write(value, []); // throws again, with the path
  }
}

/** Path to a value. It is recorded only after a first failure, because recording is slow and failures are rare. */
type Trail = (string | number)[] | undefined;

/** Text that needs no escapes in JSON: printable ASCII without quote and backslash. */
const PLAIN = /^[ !#-[\]-~]*$/;

function write(value: unknown, trail: Trail): string {
  switch (typeof value) {
    case 'string':
      return writeString(value, trail);
    case 'number':
      if (!Number.isFinite(value)) throw fault(trail, `${value} is not a JSON number`);
      return String(value);
    case 'boolean':
      return value ? 'true' : 'false';
    case 'object':
      if (value === null) return 'null';
      return Array.isArray(value) ? writeArray(value, trail) : writeObject(value, trail);
    default:
      throw fault(trail, `${typeof value} is not a JSON value`);
  }
}

function writeString(value: string, trail: Trail): string {
  if (PLAIN.test(value)) return `"${value}"`;
  if (!value.isWellFormed()) throw fault(trail, 'a lone surrogate is not text');
  return JSON.stringify(value);
}

function writeArray(items: readonly unknown[], trail: Trail): string {
  let text = '[';
  for (let i = 0; i < items.length; i += 1) {
    trail?.push(i);
    text += (i === 0 ? '' : ',') + write(items[i], trail);
    trail?.pop();
  }
  return text + ']';
}

function writeObject(value: object, trail: Trail): string {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null) throw fault(trail, 'not a plain object');
  const names = Object.keys(value);
  if (!isAscending(names)) names.sort();
  if (Reflect.ownKeys(value).length !== names.length)
    throw fault(trail, 'an object with symbols or non-enumerable properties is not JSON');
  const members = value as Record<string, unknown>; // checked above
  let text = '{';
  for (let i = 0; i < names.length; i += 1) {
    const name = names[i] ?? '';
    text += (i === 0 ? '' : ',') + writeName(name, trail);
    trail?.push(name);
    text += write(members[name], trail);
    trail?.pop();
  }
  return text + '}';
}

/** Returns whether the names are sorted. Most objects already are, and this check is faster than sorting. */
function isAscending(names: readonly string[]): boolean {
  for (let i = 1; i < names.length; i += 1) if ((names[i - 1] ?? '') > (names[i] ?? '')) return false;
  return true;
}

/** Member names in JSON notation. The documents of the service use few distinct names, very often. */
const NAMES = new Map<string, string>();
const MAX_NAMES = 4096;

function writeName(name: string, trail: Trail): string {
  const cached = NAMES.get(name);
  if (cached !== undefined) return cached;
  const written = `${writeString(name, trail)}:`;
  if (NAMES.size < MAX_NAMES) NAMES.set(name, written);
  return written;
}

function fault(trail: Trail, message: string): TypeError {
  const path = (trail ?? []).map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`)).join('');
  return new TypeError(`$${path}: ${message}`);
}
