/** A list of sources of a chain with one fault at the character `»`, or no list. */
export type BadSources = {
  readonly name: string;
  readonly list: string | undefined;
  readonly what: string;
  readonly remedy: string;
};

const SEGMENT = 'each segment has name and licence, and may have from, attribution, url, notes, schedule';
const VALID = '{"name": "Sample", "licence": "CC0"}';

/** Faults in the list of one chain, besides limits (`input-limits.test.ts`). `CHAIN` is replaced by its id. */
export const BAD_SOURCES: readonly BadSources[] = [
  {
    name: 'no entry for the chain',
    list: undefined,
    what: 'no entry for CHAIN',
    remedy: 'add "CHAIN": [{"name": "...", "licence": "..."}]',
  },
  {
    name: 'an unknown member',
    list: '[»{"name": "Sample", "licence": "CC0", "license": "CC0"}]',
    what: 'CHAIN/0 must NOT have additional properties: license',
    remedy: SEGMENT,
  },
  {
    name: 'a name with half a character',
    list: '[{"name": »"S\\ud800", "licence": "CC0"}]',
    what: 'CHAIN/0/name must match pattern "^(?![=+@-])[^\\p{C}\\p{Zl}\\p{Zp}]+$"',
    remedy: SEGMENT,
  },
  {
    name: 'no licence',
    list: '[»{"name": "Sample"}]',
    what: "CHAIN/0 must have required property 'licence'",
    remedy: SEGMENT,
  },
  {
    name: 'no segment',
    list: '»[]',
    what: 'CHAIN must NOT have fewer than 1 items',
    remedy: SEGMENT,
  },
  {
    name: '"from" in the first segment',
    list: '[{"name": "Sample", "licence": "CC0", "from": »"2025-01-01"}]',
    what: 'CHAIN/0/from the first segment has a "from"',
    remedy: 'remove it: the first segment starts with the first date',
  },
  {
    name: 'no "from" in a later segment',
    list: `[${VALID}, »${VALID}]`,
    what: 'CHAIN/1 "from" is missing',
    remedy: 'add the first date of this source',
  },
  {
    name: 'a "from" that is not a date',
    list: `[${VALID}, {"name": "B", "licence": "CC0", "from": »"2025-02-30"}]`,
    what: 'CHAIN/1/from must match format "date"',
    remedy: SEGMENT,
  },
  {
    name: 'a "from" that is not later than the one before',
    list: `[${VALID}, {"name": "B", "licence": "CC0", "from": "2025-01-05"}, {"name": "C", "licence": "CC0", "from": »"2025-01-05"}]`,
    what: 'CHAIN/2/from "from" 2025-01-05 is not later than the one before',
    remedy: 'sort the segments by "from"',
  },
];

/** A complete `sources.json` with one fault; `undefined` omits the file. */
export type BadSourcesFile = {
  readonly name: string;
  readonly text: string | Uint8Array | undefined;
  readonly fault: string;
};

const WRITE = 'Write {"bitcoin": [{"name": "...", "licence": "..."}]}.';

/** Faults that make the sources of all chains invalid, besides limits (`input-limits.test.ts`). */
export const BAD_SOURCES_FILES: readonly BadSourcesFile[] = [
  {
    name: 'missing',
    text: undefined,
    fault:
      'sources.json: cannot be read (ENOENT). Put sources.json beside the CSV files, for example {"bitcoin": [{"name": "...", "licence": "..."}]}.',
  },
  {
    name: 'not JSON',
    text: '{"bitcoin":\n  [{"name": "Sample" "licence": "CC0"}]}',
    fault: `sources.json:2:22: not JSON: CommaExpected. ${WRITE}`,
  },
  {
    name: 'a member that appears twice',
    text: `{"bitcoin":\n  [{"name": "Sample", "licence": "CC0", "name": "Other"}]}`,
    fault: 'sources.json:2:41: member "name" appears twice. Keep one of them.',
  },
  {
    name: 'not an object',
    text: `[${VALID}]`,
    fault: `sources.json:1:1: must be object. ${WRITE}`,
  },
  {
    name: 'an unknown chain',
    text: `{"bitcoin": [${VALID}], "etherum": [${VALID}]}`,
    fault: `sources.json:1:1: must NOT have additional properties: etherum. ${WRITE}`,
  },
  {
    name: 'a row count of 0',
    text: `{"bitcoin": [${VALID}], "files": {"bitcoin": {"rows": 0}}}`,
    fault:
      'sources.json:1:83: files/bitcoin/rows must be >= 1. Write for example "files": {"bitcoin": {"rows": 365, "sha256": "<64 hex digits>"}}.',
  },
  {
    name: 'not UTF-8',
    text: Buffer.from('{"bitcoin":\n  [{"name": "S\xe9", "licence": "CC0"}]}', 'latin1'),
    fault: 'sources.json:2',
  },
];
