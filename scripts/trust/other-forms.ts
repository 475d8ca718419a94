/** A change of the canonical JSON of a part of a signed document, to which its true signer signs. */
type OtherForm = {
  readonly name: string;
  readonly document: 'keys' | 'statement' | 'timestamp';
  readonly part: 'header' | 'payload';
  readonly file: string;
  readonly change: (text: string) => string | Uint8Array;
};

function ofPayload(
  document: OtherForm['document'],
  rows: Readonly<Record<string, OtherForm['change']>>,
): OtherForm[] {
  const what = document === 'keys' ? 'key set' : document;
  return Object.entries(rows).map(([has, change]) => ({
    name: `the payload of the ${what} has ${has}`,
    document,
    part: 'payload',
    file: `${document}-payload-${has.replace(/[^a-z0-9]+/gi, '-')}.jws`,
    change,
  }));
}

const withValue =
  (member: string, value: string) =>
  (text: string): string =>
    text.replace(new RegExp(`("${member}"):("[^"]*"|\\d+)`), `$1:${value}`);

/** Forms of signed documents that a verifier must not accept, although the signature is true: each document has one form. */
export const OTHER_FORMS: readonly OtherForm[] = [
  ...ofPayload('timestamp', {
    'a repeated member': (text) => text.replace('{', '{"sequence":3,'),
    'a member too many': (text) => text.replace('}', ',"unknown":1}'),
    'a member too few': (text) => text.replace(/"as_of":"[^"]*",/, ''),
    'members in another order': (text) => text.replace(/^\{(.*),("site":.*)\}$/, '{$2,$1}'),
    'a space': (text) => text.replace(':', ': '),
    'a byte order mark': (text) => `\uFEFF${text}`,
    'something behind it': (text) => `${text}{}`,
    'no members, because it is null': () => 'null',
    'no members, because it is a list': () => '[]',
    'an escape that is not needed': withValue('schema', '"timestamp\\u002f1"'),
    'half a character': withValue('site', '"https://data.example.com\\ud800"'),
    'bytes that are not UTF-8': (text) => Buffer.from(text.replace('data.', 'd\xff.'), 'latin1'),
    'characters of 16 bits': (text) => Buffer.from(text, 'utf16le'),
    'a sequence that is no number': withValue('sequence', 'NaN'),
    'a sequence with a fraction of 0': withValue('sequence', '3.0'),
    'a sequence as text': withValue('sequence', '"3"'),
    'a sequence of 0': withValue('sequence', '0'),
    'a sequence beyond the exact numbers': withValue('sequence', '9007199254740993'),
    'a sequence of 2 to the power of 53': withValue('sequence', '9007199254740992'),
    'a sequence with a fraction': withValue('sequence', '3.5'),
    'the year 0': withValue('as_of', '"0000-01-01T00:00:00Z"'),
    'a date that does not exist': withValue('as_of', '"2026-02-30T00:00:00Z"'),
    'an hour 24': withValue('as_of', '"2026-03-03T24:00:00Z"'),
    'a second 60': withValue('as_of', '"2026-03-04T05:59:60Z"'),
    'a fraction of a second': withValue('as_of', '"2026-03-04T06:00:00.5Z"'),
    'a time with an offset': withValue('as_of', '"2026-03-04T06:00:00+00:00"'),
    'digits of another script': withValue('as_of', '"٢٠٢٦-03-04T06:00:00Z"'),
    'a line feed in an instant': withValue('as_of', '"2026-03-04T06:00:00Z\\n"'),
  }),
  ...ofPayload('keys', {
    'a repeated member': (text) => text.replace('{', '{"keys":[],'),
    'characters of 16 bits': (text) => Buffer.from(text, 'utf16le'),
    'a date that does not exist': withValue('valid_until', '"2027-02-29T00:00:00Z"'),
    'a member too many in a key': (text) => text.replace(/("x":"[^"]*")\}/, '$1,"z":1}'),
    'spare bits in the coordinate of a key': (text) =>
      text.replace(
        /("x":"[^"]{42})([^"])"/,
        (_, head: string, last: string) => `${head}${nextInBase64url(last)}"`,
      ),
    'no keys': (text) => text.replace(/"keys":\[.*\],"root"/, '"keys":[],"root"'),
  }),
  ...ofPayload('statement', {
    'a repeated member': (text) => text.replace('{', '{"site":"https://data.example.com",'),
    'a digest in capital letters': (text) =>
      text.replace(/"sha256":"[0-9a-f]{64}","site"/, (each) =>
        each.replace(/[a-f](?=[^"]*",)/g, (hex) => hex.toUpperCase()),
      ),
    'a revision with the number 0': withValue('revision', '"2026-03-04.000000"'),
    'a path without a slash': (text) => text.replace('"manifests":{"/', '"manifests":{"'),
  }),
  ...(
    [
      ['a repeated member', (text: string) => text.replace('{', '{"alg":"none",')],
      ['a space', (text: string) => text.replace(':', ': ')],
      ['no members, because it is a list', () => '[]'],
      ['a byte order mark', (text: string) => `\uFEFF${text}`],
    ] as const
  ).map(([has, change]): OtherForm => ({
    name: `the header of the statement has ${has}`,
    document: 'statement',
    part: 'header',
    file: `statement-header-${has.replace(/[^a-z0-9]+/gi, '-')}.jws`,
    change,
  })),
];

/** Returns the next character of the alphabet: of the last one of 32 or 64 bytes, the one that differs in spare bits only. */
export function nextInBase64url(character: string): string {
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
  return alphabet.charAt(alphabet.indexOf(character) + 1);
}
