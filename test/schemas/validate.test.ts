import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { runInThisContext } from 'node:vm';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { compileValidator } from '../../infra/process/compiled-validators.js';
import { canonicalJson } from '../../schemas/canonical-json.js';
import { sha256Hex } from '../../schemas/digest.js';
import { SCHEMAS } from '../../schemas/schemas.generated.js';
import { openApiDocument } from '../../schemas/openapi.js';
import { historyText } from '../../schemas/trust/release-history.js';
import { thumbprintOf } from '../../schemas/trust/verify-jws.js';
import {
  assertPublished,
  assertValid,
  findSchemaFaults,
  SchemaError,
  type SchemaName,
} from '../../schemas/validate.js';
import { loadValidator, WRITTEN_SCHEMAS, type Reports } from '../../schemas/validators.js';

const ROOT = new URL('../../schemas/', import.meta.url);

type Change = {
  readonly op: 'add' | 'replace' | 'remove' | 'copy';
  readonly path: string;
  readonly value?: unknown;
  readonly from?: string;
  readonly times?: number;
};
type Invalid = {
  readonly fault: { readonly pointer: string; readonly keyword: string };
  readonly based_on: string;
  readonly change: readonly Change[];
};
type JsonObject = { [name: string]: unknown };

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(new URL(path, ROOT), 'utf8'));
}

function namesIn(folder: string, suffix = ''): string[] {
  const url = new URL(folder, ROOT);
  if (!existsSync(url)) return [];
  return readdirSync(url)
    .filter((name) => name.endsWith(suffix))
    .map((name) => name.slice(0, name.length - suffix.length));
}

function isSchemaName(name: string): name is SchemaName {
  return name in SCHEMAS && name !== 'common';
}

/** Examples made from the methodology itself, so that no copy of it is needed. */
function composedExamples(name: SchemaName): JsonObject {
  const methodology = readJson('methodology/v1.json');
  if (name === 'methodology') return { v1: methodology };
  if (name === 'openapi') return { own: openApiDocument() };
  if (name !== 'thresholds') return {};
  const envelope = {
    schema: 'thresholds/1',
    published_revision: '2026-08-19.000001',
    methodology_version: 'v1',
    methodology_sha256: sha256Hex(canonicalJson(methodology)),
  };
  return { v1: { ...envelope, defaults: methodology } };
}

function validExamples(name: SchemaName): JsonObject {
  const files = namesIn(`examples/valid/${name}`, '.json');
  const read = files.map((file) => [file, readJson(`examples/valid/${name}/${file}.json`)] as const);
  const examples: JsonObject = Object.fromEntries(read);
  return { ...composedExamples(name), ...examples };
}

/** Returns the named invalid cases of a schema: changes to a valid example, with the fault they must cause. */
function invalidExamples(name: SchemaName): [string, Invalid][] {
  const cases = readJson(`examples/invalid/${name}.json`) as Record<string, Invalid>; // a file of another shape fails its tests
  return Object.entries(cases);
}

/** Returns the value at a JSON pointer (RFC 6901). */
function valueAt(document: unknown, pointer: string): unknown {
  const steps = pointer.split('/').slice(1).map(unescapeStep);
  return steps.reduce((node, step) => childrenOf(node, pointer)[step], document);
}

function unescapeStep(step: string): string {
  return step.replaceAll('~1', '/').replaceAll('~0', '~');
}

function childrenOf(node: unknown, pointer: string): JsonObject {
  if (typeof node !== 'object' || node === null) throw new Error(`no object contains ${pointer}`);
  return node as JsonObject; // an array has its indices as members
}

/** Applies one RFC 6902 change to `document`, in place unless it replaces the root. `copy` can have a count. */
function applyChange(document: unknown, { op, path, value, from, times = 1 }: Change): unknown {
  const added = from === undefined ? value : valueAt(document, from);
  if (path === '') return added;
  const cut = path.lastIndexOf('/');
  const parent = childrenOf(valueAt(document, path.slice(0, cut)), path);
  const step = unescapeStep(path.slice(cut + 1));
  if (op === 'replace' || op === 'remove') expect(Object.keys(parent)).toContain(step);
  if (op === 'remove') Reflect.deleteProperty(parent, step);
  else if (Array.isArray(parent) && step === '-') {
    for (let count = 0; count < times; count += 1) parent.push(structuredClone(added));
  } else parent[step] = structuredClone(added);
  return document;
}

/** Returns the export of a CommonJS module that requires nothing. */
function evaluate(code: string): ValidateFunction {
  const module: { exports?: ValidateFunction } = {};
  (runInThisContext(`(module) => {${code}\n}`) as (module: object) => void)(module);
  if (module.exports === undefined) throw new Error('the module exports nothing');
  return module.exports;
}

/** Returns whether a fault is at or above a pointer, where a validator also reports conditions and choices. */
function isAtOrAbove(outer: string, inner: string): boolean {
  return outer === inner || inner.startsWith(`${outer}/`);
}

/** Returns every schema below `node` with its pointer, without conditions, which only narrow other schemas. */
function subschemas(node: JsonObject, pointer: string): [string, JsonObject][] {
  const inner = Object.entries(node).flatMap(([keyword, value]): [string, unknown][] => {
    const below = `${pointer}/${keyword}`;
    if (keyword === 'items' || keyword === 'additionalProperties') return [[below, value]];
    if (!['properties', '$defs', 'anyOf'].includes(keyword)) return [];
    return Object.entries(childrenOf(value, below)).map(([key, child]) => [`${below}/${key}`, child]);
  });
  const below = inner.flatMap(([at, child]) =>
    typeof child === 'object' ? subschemas(childrenOf(child, at), at) : [],
  );
  return [[pointer, node], ...below];
}

const names = Object.keys(SCHEMAS).filter(isSchemaName);
const files: [string, JsonObject][] = Object.entries(SCHEMAS).map(([name, schema]) => [name, { ...schema }]);

describe('the examples', () => {
  it('belong to schemas that exist', () => {
    const found = [...namesIn('examples/valid'), ...namesIn('examples/invalid', '.json')];
    expect(found.filter((name) => !isSchemaName(name))).toEqual([]);
    expect(namesIn('examples/invalid').filter((file) => !file.endsWith('.json'))).toEqual([]);
  });

  it.each(names)('include valid and invalid ones of %s', (name) => {
    expect(Object.keys(validExamples(name))).not.toEqual([]);
    expect(invalidExamples(name)).not.toEqual([]);
  });

  it('are consistent: an element of a bundle has the size and SHA-256 in its manifest', () => {
    const { days } = assertValid('bundle', readJson('examples/valid/bundle/gold-base-7d.json'));
    const { dates } = assertValid('manifest', readJson('examples/valid/manifest/gold-base-restated.json'));
    const texts = days.map((day) => canonicalJson(day));
    const digests = texts.map((text) => ({ sha256: sha256Hex(text), bytes: Buffer.byteLength(text) }));
    expect(dates.slice(1)).toMatchObject(digests);
  });

  it.each([
    ['first', 'first'],
    ['after-rollback', 'rollback-and-hold'],
  ])('are consistent: the statement %s is about a release record and its history', (name, recordName) => {
    const statement = assertValid(
      'release-statement',
      readJson(`examples/valid/release-statement/${name}.json`),
    );
    const record = assertValid(
      'release-record',
      readJson(`examples/valid/release-record/${recordName}.json`),
    );
    const { releases } = assertValid('releases', readJson('examples/valid/releases/four.json'));
    const { revision, sequence, previous, published_at } = record;
    const sha256 = sha256Hex(canonicalJson(record));
    expect(statement).toMatchObject({ revision, sequence, previous, published_at, sha256 });
    expect(releases[sequence - 1]).toEqual({ sequence, revision, sha256, published_at });
    expect(releases[sequence - 2]?.sha256).toBe(previous?.sha256);
    expect(statement.history_sha256).toBe(sha256Hex(historyText(releases, sequence) ?? ''));
  });

  it('are consistent: the timestamp names the release of the statement, of the site in the key set', () => {
    const { site, sequence, sha256 } = assertValid(
      'release-statement',
      readJson('examples/valid/release-statement/after-rollback.json'),
    );
    expect(readJson('examples/valid/timestamp/after-rollback.json')).toMatchObject({
      site,
      sequence,
      sha256,
    });
    expect(readJson('examples/valid/key-set/revoked-key.json')).toMatchObject({ site, version: 2 });
  });

  it.each(['one-key', 'revoked-key'])(
    'are consistent: the keys of %s have their thumbprints',
    async (name) => {
      const { keys } = assertValid('key-set', readJson(`examples/valid/key-set/${name}.json`));
      for (const { kid, jwk } of keys) expect(kid).toBe(await thumbprintOf(jwk));
    },
  );
});

describe.each(names)('%s', (name) => {
  it.each(Object.entries(validExamples(name)))('accepts %s', (_file, example) => {
    expect(findSchemaFaults(name, example)).toEqual([]);
    expect(assertValid(name, example)).toBe(example);
  });

  it.each(invalidExamples(name))(
    'rejects %s for the expected fault',
    (_case, { fault, based_on, change }) => {
      const base = validExamples(name)[based_on];
      expect(base).toBeDefined();
      const example = change.reduce(applyChange, structuredClone(base));
      const faults = findSchemaFaults(name, example);
      expect(faults[0]).toMatchObject(fault);
      expect(faults.filter(({ pointer }) => !isAtOrAbove(pointer, fault.pointer))).toEqual([]);
      expect(() => assertValid(name, example)).toThrow(SchemaError);
    },
  );
});

describe('a validator that the build compiles', () => {
  const validators: [SchemaName, Reports][] = [
    ...names.map((name): [SchemaName, Reports] => [name, 'first']),
    ...WRITTEN_SCHEMAS.map((name): [SchemaName, Reports] => [name, 'all']),
  ];

  it.each(validators)(
    'accepts and rejects the examples of %s as Ajv does (%s faults)',
    async (name, reports) => {
      const compiled = evaluate(await compileValidator(name, reports));
      const own = loadValidator(name, reports);
      const judge = (validate: ValidateFunction, value: unknown) => [validate(value), validate.errors ?? []];
      const valid = validExamples(name);
      const invalid = invalidExamples(name).map(([, { based_on, change }]) =>
        change.reduce(applyChange, structuredClone(valid[based_on])),
      );
      for (const value of [...Object.values(valid), ...invalid, {}, [], null, 'text'])
        expect(judge(compiled, value)).toEqual(judge(own, value));
    },
  );
});

it('names schema, place and fault in the error of an invalid value', () => {
  expect(() => assertValid('store', { format: 3, name: 'x' })).toThrow(
    'not a valid store: / must NOT have additional properties: name',
  );
  expect(() =>
    assertValid('pointer', { schema: 'pointer/1', revision: '', sequence: 1, sha256: '' }),
  ).toThrow('not a valid pointer: /revision must match pattern');
  expect(() => assertValid('reason', '\n')).toThrow(
    'not a valid reason: / must be one line of printable characters, not only spaces',
  );
});

it('reads what earlier builds published without the members that became false, and refuses any other', () => {
  const status = readJson('examples/valid/status/held.json') as { chains: { [chain: string]: JsonObject } };
  const earlier = (members: JsonObject): JsonObject => ({
    ...status,
    chains: Object.fromEntries(
      Object.entries(status.chains).map(([chain, each]) => [chain, { ...each, ...members }]),
    ),
  });
  const former = earlier({ lag_days: 0, freshness: 'fresh' });
  expect(assertPublished('status', former)).toEqual(status);
  expect(() => assertValid('status', former)).toThrow('must NOT have additional properties');
  expect(() => assertPublished('status', earlier({ lag: 0 }))).toThrow('additional properties: lag');
});

describe('the schema files', () => {
  it('are all listed in SCHEMAS', () => {
    expect(namesIn('json', '.schema.json').sort()).toEqual(Object.keys(SCHEMAS).sort());
  });

  it.each(files)('include %s, which is valid in its dialect', (_name, schema) => {
    const ajv = new Ajv2020({ strict: true, allErrors: true });
    expect([ajv.validateSchema(schema), ajv.errors ?? []]).toEqual([true, []]);
    expect(ajv.validateSchema({ ...schema, type: 'text' })).toBe(false);
  });

  it.each(files)('declare dialect, id and title in %s', (name, schema) => {
    expect(schema).toMatchObject({
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      $id: `${name}.schema.json`,
      title: expect.stringMatching(/^[A-Z][A-Za-z]+$/),
    });
  });

  it.each(files)(
    'close every object with properties in %s, and require only declared properties',
    (name, schema) => {
      for (const [pointer, node] of subschemas(schema, `${name}#`)) {
        if (!('properties' in node)) continue;
        const declared = Object.keys(childrenOf(node['properties'], pointer));
        expect([pointer, node['additionalProperties']]).toEqual([pointer, false]);
        expect([pointer, declared]).toEqual([
          pointer,
          expect.arrayContaining(Object.values(node['required'] ?? [])),
        ]);
      }
    },
  );

  it('leave no object open except the element of a bundle, which its genre closes', () => {
    const open = files
      .flatMap(([name, schema]) => subschemas(schema, `${name}#`))
      .filter(([, node]) => !('discriminator' in node)) // each alternative of it is closed by itself
      .filter(([, node]) => node['type'] === 'object' && !('additionalProperties' in node));
    expect(open.map(([pointer]) => pointer)).toEqual(['bundle#/properties/days/items']);
  });
});
