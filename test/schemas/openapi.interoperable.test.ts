import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { parsePurchase } from '../../gateway/core/billing/checkout-request.js';
import { SCHEMAS } from '../../schemas/schemas.generated.js';
import { TEXT_FORMATS } from '../../schemas/text-formats.js';
import {
  DOCUMENT,
  OPERATIONS,
  operationOf,
  resolve,
  validate,
  type Node,
} from '../support/gateway/openapi-judge.js';

/** A schema, boolean or not, and its pointer. */
type Place = readonly [pointer: string, schema: unknown];

const ONE = [
  'items',
  'contains',
  'additionalProperties',
  'propertyNames',
  'contentSchema',
  'not',
  'if',
  'then',
  'else',
];
const LISTED = ['anyOf', 'oneOf', 'allOf', 'prefixItems'];
const NAMED = ['properties', 'patternProperties', 'dependentSchemas', '$defs'];

/** Returns a schema and all schemas in it. */
function placesIn(schema: unknown, pointer: string): Place[] {
  if (typeof schema !== 'object' || schema === null) return [[pointer, schema]];
  const inner = Object.entries(schema).flatMap(([keyword, value]): Place[] => {
    const at = `${pointer}/${keyword}`;
    if (ONE.includes(keyword)) return [[at, value]];
    if (![...LISTED, ...NAMED].includes(keyword)) return [];
    return Object.entries(value as object).map(([name, each]): Place => [`${at}/${name}`, each]);
  });
  return [[pointer, schema], ...inner.flatMap(([at, each]) => placesIn(each, at))];
}

const { schemas = {}, headers = {} } = DOCUMENT['components'] ?? {};
const inOperations = OPERATIONS.flatMap((operation) => {
  const { parameters = {}, requestBody = {}, responses = {} } = operationOf(operation);
  const contents = [requestBody, ...Object.values(responses).map(resolve)].flatMap(({ content = {} }) =>
    Object.values(content),
  );
  return [...Object.values(parameters).map(resolve), ...contents].flatMap(({ schema }, i) =>
    schema === undefined ? [] : placesIn(schema, `${operation} ${i}`),
  );
});
const inDocument = [
  ...Object.entries(schemas).flatMap(([name, schema]) => placesIn(schema, name)),
  ...Object.entries(headers).flatMap(([name, { schema }]) => placesIn(schema, name)),
  ...inOperations,
];
const inFiles = Object.entries(SCHEMAS).flatMap(([name, schema]) => placesIn(schema, name));
const all = [...inFiles, ...inDocument];

/** Returns the places of the schemas that are objects, with those. */
const objectsIn = (places: readonly Place[]): [string, Node][] =>
  places.filter((place): place is [string, Node] => typeof place[1] === 'object');

/** A character of a pattern: any but one with a meaning, or an escaped one with a meaning. */
const CHARACTER = String.raw`(?:[^\\[\](){}.*+?^$|]|\\[\\[\](){}.*+?^$|/-])`;
const CLASS = String.raw`\[\^?(?:[^\\\]]|\\[\\\]\[^-])+\]`;
const QUANTIFIER = String.raw`(?:[*+?]|\{[0-9]+(?:,[0-9]*)?\})\??`;
/** What JSON Schema core 6.4 calls interoperable, without the nesting of groups. */
const INTEROPERABLE = new RegExp(
  `^(?:(?:${CHARACTER}|${CLASS}|\\((?!\\?)|\\))(?:${QUANTIFIER})?|[\\^$|])*$`,
  'u',
);

it.each([
  ['^[0-9]{4}(-[0-9]{2})?$', true],
  [String.raw`^(a|b)\.[^"\\\]]+$`, true],
  [String.raw`^\p{L}$`, false],
  [String.raw`^\d+$`, false],
  [String.raw`^[^\s]$`, false],
  ['^(?!a)b$', false],
  ['^(?:a)$', false],
  ['^.$', false],
])('knows whether a pattern is interoperable: %s', (pattern, expected) => {
  expect(INTEROPERABLE.test(pattern)).toBe(expected);
});

it('has only patterns that every validator reads alike, in schemas and in the document', () => {
  const patterns = objectsIn(all).flatMap(([at, { pattern }]) =>
    typeof pattern === 'string' ? [[at, pattern] as const] : [],
  );
  expect(patterns.filter(([, pattern]) => !INTEROPERABLE.test(pattern))).toEqual([]);
  expect(patterns.length).toBeGreaterThan(80);
});

it('has no boolean schemas except to close or open an object', () => {
  const found = all.filter(
    ([at, schema]) => typeof schema === 'boolean' && !at.endsWith('/additionalProperties'),
  );
  expect(found).toEqual([]);
});

it('has the type null only as one of several', () => {
  const alone = objectsIn(all).filter(([, { type }]) => (type as unknown) === 'null');
  expect(alone.filter(([at]) => !/\/(anyOf|oneOf)\/\d+$/.test(at))).toEqual([]);
});

it('shares no schema that can be null: clients name the schema itself', () => {
  const shared = [
    ...Object.entries(schemas),
    ...objectsIn(inFiles).filter(([at]) => /\/\$defs\/[^/]+$/.test(at)),
  ];
  const canBeNull = ({ type, anyOf = {}, oneOf = {} }: Node): boolean =>
    [type as unknown].flat().includes('null') ||
    [...Object.values(anyOf), ...Object.values(oneOf)].some(canBeNull);
  expect(shared.filter(([, schema]) => canBeNull(schema)).map(([name]) => name)).toEqual([]);
});

it('shares no two enumerations with a value in common, and gives each a type', () => {
  const values = Object.entries(schemas).flatMap(([, schema]) => Object.values(schema['enum'] ?? {}));
  expect(values.length).toBe(new Set(values).size);
  const untyped = objectsIn(inDocument).filter(
    ([at, schema]) =>
      ('enum' in schema || 'const' in schema) && !('type' in schema) && !/\/(if|then|else)\b/.test(at),
  );
  expect(untyped).toEqual([]);
});

it('has no two members whose names differ only in signs that clients drop', () => {
  const alike = objectsIn(inDocument).filter(([, { properties = {} }]) => {
    const names = Object.keys(properties).map((name) => name.replace(/[^A-Za-z0-9]/g, '').toLowerCase());
    return new Set(names).size < names.length;
  });
  expect(alike.map(([at]) => at)).toEqual([]);
});

const isOwn = (format: unknown): boolean => typeof format === 'string' && format in TEXT_FORMATS;

it.each([
  [{ plan: 'single-chain', chain: 'base' }, true],
  [{ plan: 'single-chain', chain: null }, false],
  [{ plan: 'single-chain' }, false],
  [{ plan: 'research' }, true],
  [{ plan: 'research', chain: null }, true],
  [{ plan: 'research', chain: 'base' }, false],
  [{ plan: 'other' }, false],
])('describes the purchase %j like the gateway, without a choice of objects', (purchase, expected) => {
  const schema =
    operationOf('POST /api/v1/checkout')['requestBody']?.['content']?.['application/json']?.['schema'];
  expect(validate(schema ?? {}, purchase).length === 0).toBe(expected);
  let isTaken = true;
  try {
    parsePurchase(purchase);
  } catch {
    isTaken = false;
  }
  expect(isTaken).toBe(expected);
});

it('accepts every number of a revision but zero', () => {
  const faultsOf = (number: number): number =>
    validate(schemas['common.revision'] ?? {}, `2026-08-20.${String(number).padStart(6, '0')}`).length;
  expect(faultsOf(0)).toBe(1);
  const numbers = Array.from({ length: 999_999 }, (_, i) => i + 1);
  expect(numbers.filter((number) => faultsOf(number) > 0)).toEqual([]);
});

it('describes the feature schema without its $schema, which is allowed', () => {
  const schema = schemas['feature-schema'] ?? {};
  const example = resolve(DOCUMENT['components']?.['examples']?.['feature-schema'])['value'];
  expect(Object.keys(schema['properties'] ?? {})).not.toContain('$schema');
  expect(Object.keys(example ?? {})).toContain('$schema');
  expect(validate(schema, example)).toEqual([]);
});

it('says how a generated client meets the redirect', () => {
  expect(DOCUMENT['info']?.['description']).toContain(
    'set `redirect=false` for every operation that can return 307',
  );
});

it('omits the formats that only the programs know, so that strict validators accept the schemas', () => {
  const own = objectsIn(inDocument).filter(([, { format }]) => isOwn(format));
  expect(own).toEqual([]);
  expect(objectsIn(inFiles).some(([, { format }]) => isOwn(format))).toBe(true);
  const ajv = new Ajv2020({
    strict: true,
    strictRequired: false,
    allowUnionTypes: true,
    discriminator: true,
  });
  formats.default(ajv);
  ajv.addVocabulary(['components', 'example']);
  ajv.addSchema({ $id: 'openapi', components: { schemas } });
  for (const name of Object.keys(schemas))
    expect(() => ajv.compile({ $ref: `openapi#/components/schemas/${name}` })).not.toThrow();
});
