import fc from 'fast-check';
import { datasetFiles } from '../../../../generator/core/draft/dataset-files.js';
import { CALENDAR } from '../../../../generator/core/draft/table-schemas.js';
import { calendarPath, PAGE_PATHS } from '../../../../schemas/paths.js';
import { sha256Hex } from '../../../../schemas/digest.js';
import type { Site, SourceSegment } from '../../../../schemas/types.generated.js';

const STAMP = { revision: '2026-08-20.000001', sequence: 1, publishedAt: '2026-08-20T06:00:00Z' };
const SITE: Site = {
  name: 'A site',
  base_url: 'https://data.example.com',
  terms_url: 'https://example.com/t',
};
const SOURCES: SourceSegment[] = [
  { name: 'one', licence: 'CC BY 4.0', attribution: 'by one', url: 'https://one.example', notes: 'a note' },
  { name: 'two', from: '2022-01-01', licence: 'CC0 1.0', url: 'javascript:alert(1)' },
];
const FACTS = (['bitcoin', 'base'] as const).map((chain) => ({ chain, sources: SOURCES }));
const ENTRIES = {
  [calendarPath('bitcoin')]: { sha256: sha256Hex('a'), bytes: 1 },
  [calendarPath('base')]: { sha256: sha256Hex('bc'), bytes: 2 },
};

type Resource = { path: string; hash: string; bytes: number; schema: { fields: { name: string }[] } };
type DataPackage = { version: string; licenses?: object[]; resources: (Resource & { sources: object[] })[] };
type Node = Readonly<Record<string, unknown>> & { '@id': string };
type RecordSet = Node & { field: (Node & { source: { fileObject: Node; extract: { column: string } } })[] };
type Croissant = { '@context': object; distribution: Node[]; recordSet: (RecordSet & { key: Node[] })[] };

function read(site?: Site, facts = FACTS): readonly [DataPackage, Croissant, string] {
  const texts = datasetFiles(site, facts, ENTRIES).map((file) => file.content(STAMP).text);
  const [first, second] = texts.map((text) => JSON.parse(text) as unknown);
  return [first as DataPackage, second as Croissant, texts.join('')]; // the two files, in this order
}

it('are at the root of the site, so that the paths of the tables lead to them from a folder and from an address', () => {
  const [{ resources }] = read();
  for (const { path } of resources)
    expect(Object.keys(ENTRIES)).toContain(
      new URL(path, `https://a.example${PAGE_PATHS.dataPackage}`).pathname,
    );
  expect(new URL('x', `https://a.example${PAGE_PATHS.croissant}`).pathname).toBe('/x');
});

it('name the digest and the size of each calendar, and the release', () => {
  const [{ resources, version }, { distribution }] = read();
  expect(version).toBe(STAMP.revision);
  expect(resources.map(({ hash, bytes }) => [hash, bytes])).toEqual(
    Object.values(ENTRIES).map(({ sha256, bytes }) => [`sha256:${sha256}`, bytes]),
  );
  expect(distribution.map(({ sha256, contentSize }) => [sha256, contentSize])).toEqual(
    Object.values(ENTRIES).map(({ sha256, bytes }) => [sha256, `${bytes} B`]),
  );
});

it('have the columns of the Table Schema, and every reference within the Croissant file leads somewhere', () => {
  const columns = CALENDAR.fields.map(({ name }) => name);
  const [{ resources }, { distribution, recordSet }] = read();
  const files = distribution.map((node) => node['@id']);
  expect(resources.map(({ schema }) => schema.fields.map(({ name }) => name))).toEqual([columns, columns]);
  for (const { field, key } of recordSet) {
    expect(field.map(({ source }) => source.extract.column)).toEqual(columns);
    for (const { source } of field) expect(files).toContain(source.fileObject['@id']);
    for (const { '@id': id } of key) expect(field.map((each) => each['@id'])).toContain(id);
  }
  const ids = [
    ...files,
    ...recordSet.flatMap(({ '@id': id, field }) => [id, ...field.map((each) => each['@id'])]),
  ];
  expect(new Set(ids).size).toBe(ids.length);
});

it('have no address without a site, except those of sources and of the formats', () => {
  const [own, croissant] = read();
  expect(own).not.toHaveProperty('homepage');
  expect(croissant).not.toHaveProperty('url');
  expect(croissant.distribution.map(({ contentUrl }) => contentUrl)).toEqual(
    Object.keys(ENTRIES).map((path) => path.slice(1)),
  );
});

it('have the addresses and the terms of the site, and another address for another content', () => {
  const [own, croissant] = read(SITE);
  expect(own).toMatchObject({ homepage: 'https://data.example.com/', licenses: [{ path: SITE.terms_url }] });
  expect(croissant).toMatchObject({ url: 'https://data.example.com/', license: SITE.terms_url });
  for (const { contentUrl, sha256 } of croissant.distribution) {
    const { origin, pathname, hash } = new URL(String(contentUrl));
    expect([origin, hash]).toEqual([SITE.base_url, `#sha256-${String(sha256)}`]);
    expect(Object.keys(ENTRIES)).toContain(pathname);
  }
});

it('state the licence of a source at the source only, and link only to web addresses', () => {
  const [own, croissant, text] = read();
  expect(own).not.toHaveProperty('licenses');
  expect(croissant).not.toHaveProperty('license');
  expect(own.resources[0]?.sources).toEqual([
    {
      title: 'one',
      path: 'https://one.example',
      licence: 'CC BY 4.0',
      attribution: 'by one',
      notes: 'a note',
    },
    { title: 'two', licence: 'CC0 1.0', from: '2022-01-01' },
  ]);
  expect(croissant).toMatchObject({ isBasedOn: [{ name: 'one', license: 'CC BY 4.0' }, { name: 'two' }] });
  expect(text).not.toContain('javascript:');
});

it('describe only chains with a calendar', () => {
  const [{ resources }, { recordSet }] = read(SITE, [
    ...FACTS,
    { chain: 'ethereum' as never, sources: SOURCES },
  ]);
  expect(resources).toHaveLength(2);
  expect(recordSet.map((each) => each['@id'])).toEqual(['bitcoin', 'base']);
});

it('are the same bytes for the same input', () => {
  fc.assert(
    fc.property(fc.constantFrom(undefined, SITE), (site) => {
      expect(read(site)[2]).toBe(read(site)[2]);
    }),
  );
});
