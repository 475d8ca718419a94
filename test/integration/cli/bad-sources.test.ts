import { CHAIN_IDS } from '../../../schemas/catalog.js';
import { bundlePath, manifestPath } from '../../../schemas/paths.js';
import { toSentence } from '../../support/bad-input/to-sentence.js';
import { createStoreEditor, readListed, readRelease } from '../../support/release/edit-store.js';
import { runInProcess } from '../../support/process/generator-run.js';
import {
  expectNothingPublished,
  expectRefused,
  usePublishBatch,
  type InputFiles,
  type PublishOutcome,
} from '../../support/bad-input/publish-batch.js';
import { metricsCsv, sourcesJson } from '../../support/release/small-input.js';

/** A list of sources of a chain with one fault at the character `»`, or no list. */
type BadSources = {
  readonly name: string;
  readonly list: string | undefined;
  readonly what: string;
  readonly remedy: string;
};

const SEGMENT =
  'each segment has name and licence, and may have from, attribution, url, notes, schedule; texts are one line, and a name does not begin with a space or one of = + - @';
const VALID = '{"name": "Sample", "licence": "CC0"}';

/** Faults in the list of one chain, besides limits (`input-limits.test.ts`). `CHAIN` is replaced by its id. */
const BAD_SOURCES: readonly BadSources[] = [
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
    what: 'CHAIN/0/name must be one line of printable characters, and must not begin with a space, "=", "+", "-" or "@", also after ";"',
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
type BadSourcesFile = {
  readonly name: string;
  readonly text: string | Uint8Array | undefined;
  readonly fault: string;
};

const WRITE = 'Write {"bitcoin": [{"name": "...", "licence": "..."}]}.';

/** Faults that make the sources of all chains invalid, besides limits (`input-limits.test.ts`). */
const BAD_SOURCES_FILES: readonly BadSourcesFile[] = [
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

const publishWithBuiltProgram = usePublishBatch();
const publishInThisProcess = usePublishBatch(runInProcess);

const csv = (days: number): string => metricsCsv('bitcoin', days);
/** Returns a file with `count` faults, each on its own row. */
const faulty = (count: number): string =>
  csv(count)
    .replaceAll(/(?<=\d),\d+(?=,)/g, ',x')
    .replaceAll(',x,x', ',x,1');

describe('publish refuses, with place, fault and remedy, sources with', () => {
  const count = Math.ceil(BAD_SOURCES.length / 4);
  const groups = Array.from({ length: count }, (_, i) => BAD_SOURCES.slice(4 * i, 4 * i + 4));
  const batches = groups.map((cases, batch) => {
    const lines = cases.flatMap(({ list }, i) =>
      list === undefined ? [] : [`  "${CHAIN_IDS[i] ?? ''}": ${list}`],
    );
    const tables = cases.map((_, i) => [`${CHAIN_IDS[i] ?? ''}.csv`, csv(3)] as const);
    const text = `{\n${lines.join(',\n').replaceAll('»', '')}\n}\n`;
    const run = publishInThisProcess(`lists-${batch}`, [
      { files: { ...Object.fromEntries(tables), 'sources.json': text } },
    ]);
    return { lines, run, size: cases.length };
  });

  it.each(BAD_SOURCES.map((bad, i) => [bad.name, i, bad] as const))('%s', (_name, i, { what, remedy }) => {
    const chain = CHAIN_IDS[i % 4] ?? '';
    const { lines, run, size } = batches[Math.floor(i / 4)] ?? { lines: [], run: () => [], size: 0 };
    const line = lines.findIndex((text) => text.startsWith(`  "${chain}"`));
    const place = line < 0 ? '' : `:${line + 2}:${(lines[line] ?? '').indexOf('»') + 1}`;
    const [outcome] = run();
    expect(outcome?.faults).toContain(
      `sources.json${place}: ${what}. ${toSentence(remedy)}`.replaceAll('CHAIN', chain),
    );
    expect(outcome?.faults).toHaveLength(size);
    expectRefused(outcome, chain);
    expectNothingPublished(outcome);
  });
});

describe('publish refuses every chain when sources.json is', () => {
  const tables = { 'bitcoin.csv': csv(3), 'base.csv': csv(3) };
  const filesOf = ({ text }: BadSourcesFile): InputFiles =>
    text === undefined ? tables : { ...tables, 'sources.json': text };
  const expectFault = (outcome: PublishOutcome | undefined, { fault }: BadSourcesFile): void => {
    expect(outcome?.faults).toEqual([expect.stringContaining(fault)]);
    expectNothingPublished(outcome);
  };
  const runs = BAD_SOURCES_FILES.map((bad, i) => {
    const inProcess = i >= 3; // the first three run the built program
    return (inProcess ? publishInThisProcess : publishWithBuiltProgram)(`file ${bad.name}`, [
      { files: filesOf(bad) },
    ]);
  });

  it.each(BAD_SOURCES_FILES.map((bad, i) => [bad.name, i, bad] as const))('%s', (_name, i, bad) =>
    expectFault(runs[i]?.()[0], bad),
  );
});

describe('publish with several files', () => {
  const sources = { 'sources.json': sourcesJson(CHAIN_IDS) };
  const both: InputFiles = { ...sources, 'bitcoin.csv': csv(3), 'base.csv': csv(3) };
  const mixed: InputFiles = { ...sources, 'bitcoin.csv': faulty(1), 'base.csv': csv(5) };
  const unknownFile =
    'etherum.csv: is not the file of a known chain. Rename or remove it; chains are bitcoin, ethereum, arbitrum, base.';
  const many = publishWithBuiltProgram('many', [
    { files: { ...sources, 'bitcoin.csv': faulty(15), 'base.csv': faulty(12) }, options: ['--json'] },
  ]);
  const one = publishInThisProcess('one more', [
    { files: { ...sources, 'bitcoin.csv': faulty(15), 'base.csv': faulty(6) } },
  ]);
  const inTurn = publishInThisProcess('in turn', [
    { files: both },
    { files: mixed, options: ['--json', '--all-or-nothing'] },
    { files: mixed, options: ['--json'] },
  ]);
  const withUnknown = publishInThisProcess('unknown', [
    { files: { ...sources, 'etherum.csv': csv(3) } },
    { files: { ...both, 'etherum.csv': csv(3) } },
  ]);

  it('shows twenty faults and counts the rest; --json lists all', () => {
    const [outcome] = many();
    const listed: { file: string; line: number }[] = JSON.parse(outcome?.stdout ?? '').faults;
    const places = listed.map(({ file, line }) => `${file}:${line}`);
    expect(places).toEqual([
      ...Array.from({ length: 15 }, (_, i) => `bitcoin.csv:${i + 2}`),
      ...Array.from({ length: 12 }, (_, i) => `base.csv:${i + 2}`),
    ]);
    const shown = outcome?.faults.map((line) => line.split(':').slice(0, 2).join(':'));
    expect(shown).toEqual([...places.slice(0, 20), '... and 7 more faults (--json lists all)']);
    expectNothingPublished(outcome);
  });

  it('counts a single fault in the singular', () => {
    const [outcome] = one();
    expect(outcome?.faults.at(-1)).toBe('... and 1 more fault (--json lists all)');
  });

  it('publishes nothing with --all-or-nothing if one is faulty, and reports it', () => {
    const [, strict] = inTurn();
    expect(strict).toMatchObject({
      code: 3,
      end: 'input invalid: the published state of bitcoin was kept; nothing was published',
    });
    expect(JSON.parse(strict?.stdout ?? '')).toMatchObject({
      outcome: 'refused',
      sequence: 1,
      chains: {
        bitcoin: { outcome: 'invalid' },
        base: { outcome: 'withheld' },
      },
      written: { objects: 0 },
    });
  });

  it('publishes the valid chain, keeps the published state of the faulty one, and reports it', async () => {
    const [, , partial] = inTurn();
    expect(partial).toMatchObject({
      code: 3,
      faults: [expect.stringMatching(/^bitcoin\.csv:2:2: tx_count "x" is not a number\. /)],
      end: 'input invalid: the published state of bitcoin was kept; the other chains were published',
    });
    expect(JSON.parse(partial?.stdout ?? '')).toMatchObject({
      outcome: 'partial',
      sequence: 2,
      chains: {
        bitcoin: { outcome: 'invalid', updated_through: '2025-01-03' },
        base: { outcome: 'published', updated_through: '2025-01-05', new: 2 },
      },
    });
    const store = createStoreEditor(partial?.root ?? '');
    expect((await readRelease(store)).record.chains).toMatchObject({
      bitcoin: { updated_through: '2025-01-03' },
      base: { updated_through: '2025-01-05' },
    });
    expect((await readListed(store, manifestPath('gold', 'bitcoin'), 'manifest')).dates).toHaveLength(3);
    expect((await readListed(store, bundlePath('gold', 'base', '7d'), 'bundle')).days).toHaveLength(5);
  });

  it('names a file of an unknown chain', () => {
    const [alone] = withUnknown();
    expect(alone?.faults).toEqual([unknownFile]);
    expectNothingPublished(alone);
  });

  it('publishes the known chains despite a file of an unknown one, and reports it', () => {
    const [, unknown] = withUnknown();
    expect(unknown).toMatchObject({ code: 3, faults: [unknownFile], published: ['base', 'bitcoin'] });
    expect(unknown?.end).toBe(
      'input invalid: the faulty files were ignored; the other chains were published',
    );
  });
});
