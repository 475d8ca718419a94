import { bundleFiles, daysOfBundle } from '../../../../generator/core/artifacts/bundle.js';
import { bodyOf } from '../../../../generator/core/artifacts/artifact.js';
import { canonicalJson } from '../../../../schemas/canonical-json.js';
import { addDays } from '../../../../schemas/dates.js';
import { sha256Hex } from '../../../../schemas/digest.js';
import type { ManifestDate } from '../../../../schemas/types.generated.js';
import { WINDOWS } from '../../../../schemas/catalog.js';

const REVISION = '2023-01-01.000001';

/** Texts of day files of different lengths, with characters of more than one byte. */
const texts = Array.from({ length: 400 }, (_, i) =>
  canonicalJson({ date: addDays('2022-01-01', i), text: `${'–'.repeat(i % 7)}"days":[],{}\\` }),
);
const entries = texts.map((text, i): ManifestDate => {
  const date = addDays('2022-01-01', i);
  return {
    date,
    sha256: sha256Hex(text),
    bytes: Buffer.byteLength(text),
    schema: 'brief-day/1',
    methodology_version: 'v1',
    revision: REVISION,
    in_force_from: REVISION,
    status: i === 390 ? 'withdrawn' : 'available',
    path: `/${date}`,
    superseded: [],
  };
});
const textOf = new Map(entries.map(({ sha256 }, i) => [sha256, texts[i] ?? '']));
const inForce = entries.filter(({ status }) => status !== 'withdrawn').slice(-WINDOWS['365d']);

function bundles(): Map<string, Buffer> {
  const files = bundleFiles({
    chain: 'base',
    genre: 'briefs',
    updatedThrough: entries.at(-1)?.date ?? '',
    methodologyVersion: 'v1',
    entries,
    text: ({ sha256 }) => textOf.get(sha256) ?? '',
  });
  const stamp = { revision: REVISION, sequence: 1, publishedAt: '2023-01-01T00:00:00Z' };
  return new Map(files.map(({ path, content }) => [path, Buffer.from(bodyOf(content(stamp)))]));
}

const longest = (): Buffer => [...bundles()].find(([path]) => path.includes('365d'))?.[1] ?? Buffer.of();

it('a bundle is the canonical JSON of its days', () => {
  for (const body of bundles().values()) {
    const bundle = JSON.parse(body.toString()) as { days: unknown[]; last_date: string };
    expect(canonicalJson(bundle)).toBe(body.toString());
    expect(bundle.days.at(-1)).toEqual(JSON.parse(texts.at(-1) ?? ''));
  }
});

it('the longest bundle gives back the texts of its days', () => {
  expect(daysOfBundle(longest(), entries)).toEqual(
    new Map(inForce.map(({ sha256 }) => [sha256, textOf.get(sha256)])),
  );
});

it.each([0, 1, 200, 364])('no text after a damaged day %d is believed', (damaged) => {
  const body = longest();
  const at = body.indexOf(textOf.get(inForce[damaged]?.sha256 ?? '') ?? '-');
  body[at + 12] = (body[at + 12] ?? 0) ^ 1;
  expect([...daysOfBundle(body, entries).keys()]).toEqual(
    inForce.slice(0, damaged).map(({ sha256 }) => sha256),
  );
});

it('a bundle of other days gives no text', () => {
  expect(daysOfBundle(Buffer.from('{"days":[]}'), entries)).toEqual(new Map());
  expect(daysOfBundle(Buffer.from('not a bundle'), entries)).toEqual(new Map());
  expect(daysOfBundle(longest(), entries.slice(0, -1))).toEqual(new Map());
});
