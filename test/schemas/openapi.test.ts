import { createConfig, lintFromString } from '@redocly/openapi-core';
import { currentMethodology } from '../../schemas/methodology.js';
import { methodologyDataPath } from '../../schemas/paths.js';
import { CALENDAR_TEXT } from '../../schemas/openapi/examples.js';
import { UNDESCRIBED } from '../../schemas/openapi/problem-answers.js';
import { canonicalJson } from '../../schemas/canonical-json.js';
import { openApiDocument } from '../../schemas/openapi.js';
import { PROBLEMS } from '../../schemas/problems.js';
import { SCHEMAS } from '../../schemas/schemas.generated.js';
import { findSchemaFaults } from '../../schemas/validate.js';
import {
  DOCUMENT,
  OPERATIONS,
  operationOf,
  resolve,
  validate,
  type Node,
} from '../support/gateway/openapi-judge.js';

const document = openApiDocument();
const text = JSON.stringify(document, null, 1);

// Conditions in the schemas require properties that are declared outside of the condition.
// The linter closes each part of a schema separately, while the schemas are closed as a whole; ajv validates the examples
// below.
const open = { severity: 'error', allowAdditionalProperties: true } as const;
const RULES = {
  'no-required-schema-properties-undefined': 'off',
  'no-ambiguous-paths': 'off',
  'no-invalid-media-type-examples': open,
  'no-invalid-parameter-examples': open,
} as const;
const LINTER = JSON.stringify({ extends: ['recommended-strict'], rules: RULES }); // its type takes 9 s to check

it('passes the OpenAPI linter', async () => {
  const config = await createConfig(LINTER);
  const problems = await lintFromString({ source: text, config });
  expect(problems.map(({ ruleId, message, location: [at] }) => [ruleId, message, at?.pointer])).toEqual([]);
});

it('would fail the OpenAPI linter with a fault in it', async () => {
  const config = await createConfig(LINTER);
  const wrong = text
    .replace('"operationId": "getStatus"', '"operationId": "getLanding"')
    .replace('"example": "7d"', '"example": "8d"');
  const problems = await lintFromString({ source: wrong, config });
  expect(problems.map(({ ruleId }) => ruleId)).toEqual(
    expect.arrayContaining(['operation-operationId-unique', 'no-invalid-parameter-examples']),
  );
});

/** The location of a schema in the document, and the node that contains it. */
type Place = readonly [at: string, described: Node];

/** Returns a node that is a string. */
const textOf = (node: Node | undefined): string => node as unknown as string;

/** Returns the parameters, bodies and responses of an operation that have a schema. A range of a file has no schema. */
function placesOf(operation: string): Place[] {
  const { parameters = {}, requestBody = {}, responses = {} } = operationOf(operation);
  const described = Object.values(parameters)
    .map(resolve)
    .map((each): Place => [`${operation} parameter ${textOf(each['name'])}`, each]);
  const answers = Object.entries(responses).map(([status, answer]): Place => [status, resolve(answer)]);
  const contents = [['body', requestBody] as Place, ...answers].flatMap(([at, { content = {} }]) =>
    Object.entries(content).map(([type, each]): Place => [`${operation} ${at} ${type}`, each]),
  );
  return [...described, ...contents].filter(([, { schema }]) => schema !== undefined);
}

/** Returns the value of an example. That of the methodology is the published file. */
function valueOf({ value, externalValue }: Node): unknown {
  return (externalValue as unknown) === methodologyDataPath('v1') ? currentMethodology() : value;
}

/** Returns the examples of a parameter, body or response. */
function examplesAt({ example, examples = {} }: Node): unknown[] {
  const named = Object.values(examples).map((each) => valueOf(resolve(each)));
  return example === undefined ? named : [example, ...named];
}

const places = OPERATIONS.flatMap(placesOf);

it('has an example of every parameter, body and response of every operation', () => {
  expect(places.filter(([, described]) => examplesAt(described).length === 0).map(([at]) => at)).toEqual([]);
  expect(places.length).toBeGreaterThan(250);
  expect(examplesAt({ schema: {} })).toEqual([]); // a missing example would be found
});

it('has only examples that are valid against their schemas', () => {
  const faults = places.flatMap(([at, described]) =>
    examplesAt(described).flatMap((example) =>
      validate(described['schema'] ?? {}, example).map((fault) => [at, fault]),
    ),
  );
  expect(faults).toEqual([]);
  const last = places.at(-1)?.[1]['schema'] ?? {};
  expect(validate(last, { type: 'elsewhere' })).not.toEqual([]); // an invalid example would be found
});

it('has an example of every kind of document that a response can contain', () => {
  const lacking = places.filter(([at, { schema = {}, examples = {} }]) => {
    const kinds = Object.values<Node>(schema['anyOf'] ?? { schema }).map((each) => each['$ref']);
    const names = kinds.filter((ref) => ref !== undefined).map((ref) => textOf(ref).split('/').at(-1) ?? '');
    return !at.includes('parameter') && names.some((name) => name in SCHEMAS && !(name in examples));
  });
  expect(lacking).toEqual([]);
});

it('has examples of documents that are valid against the JSON Schemas too', () => {
  const examples = Object.entries(DOCUMENT['components']?.['examples'] ?? {});
  const files = examples.filter(([name]) => name in SCHEMAS);
  expect(files.length).toBeGreaterThan(15);
  const faults = files.map(([name, each]) => [name, findSchemaFaults(name as 'status', valueOf(each))]);
  expect(faults.filter(([, found]) => (found as unknown[]).length > 0)).toEqual([]);
});

it('has valid rows in the example of a calendar', () => {
  const [head = '', ...lines] = CALENDAR_TEXT.trim().split('\n');
  const names = head.split(',');
  const rows = lines.map((line) =>
    Object.fromEntries(
      line.split(',').map((cell, i) => [names[i] ?? '', /^\d+(\.\d+)?$/.test(cell) ? Number(cell) : cell]),
    ),
  );
  expect([rows.length, findSchemaFaults('regime-calendar', rows)]).toEqual([2, []]);
});

it('lists every problem of the described methods with its status and an example', () => {
  const shown = new Map<string, Set<string>>();
  for (const each of OPERATIONS) {
    for (const [status, answer] of Object.entries(operationOf(each)['responses'] ?? {})) {
      const examples = resolve(answer)['content']?.['application/problem+json']?.['examples'] ?? {};
      for (const example of Object.values(examples)) {
        const { code, status: own } = resolve(example)['value'] as unknown as {
          code: string;
          status: number;
        };
        shown.set(code, (shown.get(code) ?? new Set()).add(`${status} ${own}`));
      }
    }
  }
  const expected = Object.entries(PROBLEMS).map(([code, { status }]) => [
    code,
    code === UNDESCRIBED ? undefined : [`${status} ${status}`],
  ]);
  const found = Object.keys(PROBLEMS).map((code) => [
    code,
    shown.has(code) ? [...(shown.get(code) ?? [])] : undefined,
  ]);
  expect(found).toEqual(expected);
});

it('contains no keys except the example key, which was never valid', () => {
  const keys = text.match(/\b(crd|sk|whsec|rk|pk)_[0-9A-Za-z_]{8,}/g) ?? [];
  expect(new Set(keys)).toEqual(new Set(['crd_test_Abc123xy_ThisIsAnExampleAndNotARealSecret2FGpLk']));
});

it('is smaller than 270 kB', () => {
  expect(Buffer.byteLength(canonicalJson(document))).toBeLessThan(270_000);
});
