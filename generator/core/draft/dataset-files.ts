/**
 * The files by which tools of data people find and read the public tables: a Data Package (datapackage.org, 2.0) and a Croissant
 * file (mlcommons.org/croissant, 1.1). They follow the calendars, because they name their digests.
 */
import { calendarPath, PAGE_PATHS } from '../../../schemas/paths.js';
import type {
  Chain,
  FeatureField,
  FileEntry,
  Site,
  SourceSegment,
} from '../../../schemas/types.generated.js';
import { canonicalJson } from '../../../schemas/canonical-json.js';
import {
  type FileTemplate,
  DATA_PACKAGE_TYPE,
  JSON_LD_TYPE,
  type ReleaseStamp,
  textContent,
} from '../artifacts/artifact.js';
import type { ChainFacts } from '../artifacts/chain-facts.js';
import {
  calendarDescription,
  calendarTitle,
  datasetTitle,
  isWebAddress,
  type Markup,
  publisherMarkup,
  sourcesMarkup,
} from '../pages/dataset-markup.js';
import { CALENDAR, CSV_DIALECT, MISSING_VALUES } from './table-schemas.js';

/** A public table of a release. */
type Table = {
  readonly chain: Chain;
  /** Path from the folder of the two files, by which a copy of the site in a folder is read too. */
  readonly path: string;
  readonly entry: Pick<FileEntry, 'sha256' | 'bytes'>;
  readonly sources: readonly SourceSegment[];
};

/** Returns both files. `entries` has the calendar of each chain by its path. */
export function datasetFiles(
  site: Site | undefined,
  facts: readonly Pick<ChainFacts, 'chain' | 'sources'>[],
  entries: Readonly<Record<string, Table['entry']>>,
): FileTemplate[] {
  const tables = facts.flatMap(({ chain, sources }): Table[] => {
    const path = calendarPath(chain);
    const entry = entries[path];
    return entry === undefined ? [] : [{ chain, path: path.slice(PAGE_PATHS.front.length), entry, sources }];
  });
  const file = (path: string, type: string, value: (stamp: ReleaseStamp) => unknown): FileTemplate => ({
    path,
    type,
    content: (stamp) => textContent(`${canonicalJson(value(stamp))}\n`),
  });
  return [
    file(PAGE_PATHS.dataPackage, DATA_PACKAGE_TYPE, (stamp) => toDataPackage(site, tables, stamp)),
    file(PAGE_PATHS.croissant, JSON_LD_TYPE, (stamp) => toCroissant(site, tables, stamp)),
  ];
}

const DESCRIPTION = `${CALENDAR.description} One table for each chain. No prices, no forecasts.`;

function toDataPackage(site: Site | undefined, tables: readonly Table[], stamp: ReleaseStamp): object {
  return {
    $schema: 'https://datapackage.org/profiles/2.0/datapackage.json',
    name: 'regime-calendars',
    title: datasetTitle(site),
    description: DESCRIPTION,
    version: stamp.revision,
    created: stamp.publishedAt,
    ...(site === undefined
      ? {}
      : {
          homepage: site.base_url + PAGE_PATHS.front,
          contributors: [{ title: site.publisher ?? site.name, roles: ['publisher'] }],
        }),
    ...(site?.terms_url === undefined ? {} : { licenses: [{ path: site.terms_url, title: 'Terms' }] }),
    resources: tables.map(toResource),
  };
}

function toResource({ chain, path, entry: { sha256, bytes }, sources }: Table): object {
  const { fields, primaryKey } = CALENDAR;
  return {
    name: `${chain}-regime-calendar`,
    title: calendarTitle(chain),
    description: calendarDescription(chain),
    type: 'table',
    path,
    format: 'csv',
    mediatype: 'text/csv',
    encoding: 'utf-8',
    bytes,
    hash: `sha256:${sha256}`,
    dialect: CSV_DIALECT,
    schema: { fields, primaryKey, missingValues: MISSING_VALUES },
    sources: sources.map(({ name, url, licence, attribution, from, notes }) => ({
      title: name,
      ...(url !== undefined && isWebAddress(url) ? { path: url } : {}),
      licence,
      ...(attribution === undefined ? {} : { attribution }),
      ...(from === undefined ? {} : { from }),
      ...(notes === undefined ? {} : { notes }),
    })),
  };
}

/** The context that the specification of Croissant 1.1 prescribes. */
const CONTEXT = {
  '@language': 'en',
  '@vocab': 'https://schema.org/',
  arrayShape: 'cr:arrayShape',
  citeAs: 'cr:citeAs',
  column: 'cr:column',
  conformsTo: 'dct:conformsTo',
  containedIn: 'cr:containedIn',
  cr: 'http://mlcommons.org/croissant/',
  rai: 'http://mlcommons.org/croissant/RAI/',
  data: { '@id': 'cr:data', '@type': '@json' },
  dataType: { '@id': 'cr:dataType', '@type': '@vocab' },
  dct: 'http://purl.org/dc/terms/',
  description: { '@container': '@language' },
  equivalentProperty: 'cr:equivalentProperty',
  examples: { '@id': 'cr:examples', '@type': '@json' },
  extract: 'cr:extract',
  field: 'cr:field',
  fileProperty: 'cr:fileProperty',
  fileObject: 'cr:fileObject',
  fileSet: 'cr:fileSet',
  format: 'cr:format',
  includes: 'cr:includes',
  isArray: 'cr:isArray',
  isLiveDataset: 'cr:isLiveDataset',
  jsonPath: 'cr:jsonPath',
  key: 'cr:key',
  md5: 'cr:md5',
  name: { '@container': '@language' },
  parentField: 'cr:parentField',
  path: 'cr:path',
  recordSet: 'cr:recordSet',
  references: 'cr:references',
  regex: 'cr:regex',
  repeated: 'cr:repeated',
  replace: 'cr:replace',
  samplingRate: 'cr:samplingRate',
  sc: 'https://schema.org/',
  separator: 'cr:separator',
  source: 'cr:source',
  subField: 'cr:subField',
  transform: 'cr:transform',
};

function toCroissant(site: Site | undefined, tables: readonly Table[], stamp: ReleaseStamp): object {
  return {
    '@context': CONTEXT,
    '@type': 'sc:Dataset',
    conformsTo: 'http://mlcommons.org/croissant/1.1',
    name: datasetTitle(site),
    description: DESCRIPTION,
    version: stamp.revision,
    datePublished: stamp.publishedAt,
    isLiveDataset: true,
    ...(site === undefined ? {} : { url: site.base_url + PAGE_PATHS.front }),
    ...(site === undefined ? {} : { citeAs: citationOf(site, stamp) }),
    ...publisherMarkup(site),
    ...sourcesMarkup(tables.flatMap(({ sources }) => sources)),
    distribution: tables.map((table) => toFileObject(site, table)),
    recordSet: tables.map(toRecordSet),
  };
}

const citationOf = (site: Site, { revision }: ReleaseStamp): string =>
  `${site.publisher ?? site.name}: ${datasetTitle(site)}, revision ${revision}. ${site.base_url}${PAGE_PATHS.front}`;

const fileId = (chain: Chain): string => `${chain}-regime-calendar.csv`;

function toFileObject(site: Site | undefined, { chain, path, entry: { sha256, bytes } }: Table): Markup {
  return {
    '@type': 'cr:FileObject',
    '@id': fileId(chain),
    name: fileId(chain),
    description: calendarTitle(chain),
    // mlcroissant never downloads an address again (findings/mlcroissant-stale-cache.sh). The fragment changes it with the content.
    contentUrl: site === undefined ? path : `${site.base_url}${calendarPath(chain)}#sha256-${sha256}`,
    contentSize: `${bytes} B`,
    encodingFormat: 'text/csv',
    sha256,
  };
}

/** The types of Croissant by those of Table Schemas. */
const DATA_TYPES: Readonly<Record<FeatureField['type'], string>> = {
  date: 'sc:Date',
  string: 'sc:Text',
  number: 'sc:Float',
  integer: 'sc:Integer',
  boolean: 'sc:Boolean',
};

function toRecordSet({ chain }: Table): Markup {
  const id = (name: string): string => `${chain}/${name}`;
  return {
    '@type': 'cr:RecordSet',
    '@id': chain,
    name: chain,
    description: calendarTitle(chain),
    key: CALENDAR.primaryKey.map((name) => ({ '@id': id(name) })),
    field: CALENDAR.fields.map(({ name, type, description }) => ({
      '@type': 'cr:Field',
      '@id': id(name),
      name,
      description,
      dataType: DATA_TYPES[type],
      source: { fileObject: { '@id': fileId(chain) }, extract: { column: name } },
    })),
  };
}
