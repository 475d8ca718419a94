/**
 * Formats of texts in `json`, beside those of JSON Schema. Their patterns use Unicode properties and lookaheads, which only
 * some validators know, so the OpenAPI document omits them.
 */
export const TEXT_FORMATS = {
  /** Printable characters on one line; also the empty text. */
  line: /^[^\p{C}\p{Zl}\p{Zp}]*$/u,
  /** A line with a character that is not a space. */
  sentence: /^[^\p{C}\p{Zl}\p{Zp}]*[^\p{C}\p{Z}][^\p{C}\p{Zl}\p{Zp}]*$/u,
  /** A line that a spreadsheet does not take for a formula, also one that splits lines at semicolons. */
  cell: /^(?!\s|(?:.*;)?\s*[=+@＝＋－＠-])[^\p{C}\p{Zl}\p{Zp}]*$/u,
  /** Words with single spaces between them. */
  words: /^[^\s\p{Cc}\p{Cf}]+( [^\s\p{Cc}\p{Cf}]+)*$/u,
  /** An https URL, also with characters that are not ASCII. */
  'https-url': /^https:\/\/[^\s"<>`\\]+$/u,
  /** A mail address or an https URL. */
  contact: /^([A-Za-z0-9._+-]+@[a-z0-9-]+(\.[a-z0-9-]+)+|https:\/\/[^\s"<>`\\]+)$/u,
} as const satisfies Readonly<Record<string, RegExp>>;

/** What a text of each format must be, in words that follow its place in an error. */
export const TEXT_RULES: Readonly<Record<string, string>> = {
  line: 'must be one line of printable characters',
  sentence: 'must be one line of printable characters, not only spaces',
  cell: 'must be one line of printable characters, and must not begin with a space, "=", "+", "-" or "@", also after ";"',
  words: 'must be words of printable characters with single spaces between them',
  'https-url': 'must be an https URL',
  contact: 'must be a mail address or an https URL',
} satisfies Readonly<Record<keyof typeof TEXT_FORMATS, string>>;
