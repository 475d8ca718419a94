import { LABEL_MEANINGS, METRICS } from '../../schemas/catalog.js';
import { glossaryEntries } from '../../schemas/methodology.js';
import methodology from '../../schemas/methodology/v1.json' with { type: 'json' };
import { SCHEMAS } from '../../schemas/schemas.generated.js';
import { findSchemaFaults } from '../../schemas/validate.js';

type SchemaFile = keyof typeof SCHEMAS;

/** Schemas without fields of published data: shared definitions, inputs, internal objects, accounts, texts, the OpenAPI, signatures. */
const INTERNAL: readonly SchemaFile[] = [
  'account',
  'aliases',
  'api-key',
  'chart-events',
  'collection',
  'collection-state',
  'common',
  'entitlements',
  'gc',
  'refusal',
  'glossary-entries',
  'key-record',
  'key-set',
  'key-usage',
  'ledger-line',
  'lineage',
  'openapi',
  'pointer',
  'release-record',
  'release-statement',
  'releases',
  'site',
  'site-files',
  'sources',
  'sources-policy',
  'store',
  'store-check',
  'text',
  'timestamp',
  'volume',
];
/** Keywords that are not followed: their values are data, or definitions, which references lead to. */
const NOT_FOLLOWED: readonly string[] = ['$defs', 'const', 'enum', 'required'];

const glossary = glossaryEntries();
const artifacts = (Object.keys(SCHEMAS) as SchemaFile[]).filter((name) => !INTERNAL.includes(name));
const fields = glossary.filter(({ kind }) => kind === 'field');
const entryOf = (id: string) => glossary.find((entry) => entry.id === id);

describe('the glossary', () => {
  it('is valid against its schema', () => {
    expect(findSchemaFaults('glossary-entries', glossary)).toEqual([]);
  });

  it('is sorted by id, without duplicates', () => {
    const ids = glossary.map(({ id }) => id);
    expect(ids).toEqual([...new Set(ids)].sort());
  });

  it('lists in appears_in only kinds of artifacts, sorted and without duplicates', () => {
    const known = new Set<string>(artifacts);
    for (const { id, appears_in } of glossary) {
      const places = [...new Set(appears_in)].filter((place) => known.has(place)).sort();
      expect({ id, appears_in }).toEqual({ id, appears_in: places });
    }
  });

  it('has definitions in whole sentences without line breaks', () => {
    for (const { id, definition } of glossary) {
      expect({ id, sentence: /^[A-Z0-9].*\.$/.test(definition) }).toEqual({ id, sentence: true });
    }
  });
});

describe('the fields of the glossary', () => {
  it('are the properties of the artifact schemas, each with the artifacts that can contain it', () => {
    const places = placesByProperty();
    const listed = fields.map(({ name, appears_in }) => [name, appears_in]);
    expect(Object.fromEntries(listed)).toEqual(Object.fromEntries(places));
    expect(listed).toHaveLength(places.size);
  });

  it('have an id derived from the name', () => {
    for (const { id, name } of fields) expect(id).toBe(fieldId(name));
  });
});

describe('the values of the glossary', () => {
  it('include exactly the metrics of the catalog, with their units', () => {
    const listed = glossary.filter(({ kind }) => kind === 'metric').map(({ name, unit }) => [name, { unit }]);
    const expected = Object.entries(METRICS).map(([name, { unit }]) => [name, { unit }]);
    expect(Object.fromEntries(listed)).toEqual(Object.fromEntries(expected));
    for (const name of Object.keys(METRICS)) expect(entryOf(`metric.${name}`)).toMatchObject({ name });
  });

  it.each(Object.entries(methodology.quantities))(
    'include the quantity %s with the unit in the methodology',
    (name, { unit }) => {
      const isSignal = methodology.signals.some(({ signal }) => signal === name);
      expect(entryOf(`${isSignal ? 'signal' : 'quantity'}.${name}`)).toMatchObject({ name, unit });
    },
  );

  it('include exactly the labels of the catalog, with their meanings', () => {
    const labels = glossary.filter(({ kind }) => kind === 'label').map(({ name }) => name);
    expect(labels.sort()).toEqual(Object.keys(LABEL_MEANINGS).sort());
    for (const [label, meaning] of Object.entries(LABEL_MEANINGS)) {
      expect(entryOf(`label.${label}`)?.definition).toContain(meaning);
    }
  });

  it.each([
    ['level', SCHEMAS.common.$defs.level.enum],
    ['confidence', SCHEMAS.common.$defs.confidence_level.enum],
    ['trend', SCHEMAS.common.$defs.trend.enum],
    ['direction', SCHEMAS.common.$defs.driver.properties.direction.enum],
    ['freshness', SCHEMAS.common.$defs.freshness.enum],
    ['status', SCHEMAS.common.$defs.entry_status.enum],
    ['dimension', SCHEMAS.common.$defs.dimension.enum],
    ['axis', SCHEMAS.common.$defs.axis_name.enum],
    ['chain', SCHEMAS.common.$defs.chain.enum],
    ['genre', SCHEMAS.common.$defs.genre.enum],
    ['window', SCHEMAS.common.$defs.window.enum],
  ])('include exactly the values of %s in the schemas', (prefix, values) => {
    const entries = glossary.filter(({ id }) => id.startsWith(`${prefix}.`));
    expect(entries.map(({ name }) => name).sort()).toEqual([...values].sort());
    for (const { id, name } of entries) expect(id).toBe(`${prefix}.${name}`);
  });
});

/** Returns the id of a property's entry: `field.missing_values` for `missingValues`, `field.dollar_schema` for `$schema`. */
function fieldId(name: string): string {
  const snake = name.replace('$', 'dollar_').replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return `field.${snake}`;
}

/** Returns the artifacts that can contain each property, sorted. */
function placesByProperty(): Map<string, string[]> {
  const places = new Map<string, string[]>();
  for (const artifact of [...artifacts].sort()) {
    for (const property of propertiesOf(artifact)) {
      places.set(property, [...(places.get(property) ?? []), artifact]);
    }
  }
  return places;
}

/** Returns every property name that an artifact can contain, following references. */
function propertiesOf(artifact: SchemaFile): Set<string> {
  const names = new Set<string>();
  const visited = new Set<string>();
  const visit = (node: unknown, file: string): void => {
    if (typeof node !== 'object' || node === null) return;
    for (const [keyword, value] of Object.entries(node)) {
      if (keyword === '$ref') follow(String(value), file);
      else if (keyword === 'properties') {
        for (const [name, schema] of Object.entries(value as object)) {
          names.add(name);
          visit(schema, file);
        }
      } else if (!NOT_FOLLOWED.includes(keyword)) visit(value, file);
    }
  };
  const follow = (reference: string, file: string): void => {
    const [target = '', pointer = ''] = reference.split('#');
    const key = `${target || file}#${pointer}`;
    if (visited.has(key)) return;
    visited.add(key);
    visit(resolve(target || file, pointer), target || file);
  };
  follow(`${artifact}.schema.json`, '');
  return names;
}

/** Returns the part of a schema file at a JSON pointer. */
function resolve(file: string, pointer: string): unknown {
  const document: unknown = SCHEMAS[file.replace('.schema.json', '') as SchemaFile];
  return pointer
    .split('/')
    .filter((step) => step !== '')
    .reduce((node, step) => (node as Record<string, unknown>)[step], document);
}
