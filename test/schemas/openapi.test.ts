import { createConfig, lintFromString } from '@redocly/openapi-core';
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
} from '../fixtures/openapi-judge.js';

const document = openApiDocument();
const text = JSON.stringify(document, null, 1);

// Conditions of our schemas require properties that are described beside them, not within.
// It closes the parts of a schema apart from each other, where ours are closed as a whole: ajv judges examples below.
const open = { severity: 'error', allowAdditionalProperties: true } as const;
const RULES = {
  'no-required-schema-properties-undefined': 'off',
  'no-ambiguous-paths': 'off',
  'no-invalid-media-type-examples': open,
  'no-invalid-parameter-examples': open,
} as const;

it('breaks no rule of a linter of its field', async () => {
  const config = await createConfig({ extends: ['recommended-strict'], rules: RULES });
  const problems = await lintFromString({ source: text, config });
  expect(problems.map(({ ruleId, message, location: [at] }) => [ruleId, message, at?.pointer])).toEqual([]);
});

it('is judged by that linter: a fault is found', async () => {
  const config = await createConfig({ extends: ['recommended-strict'], rules: RULES });
  const wrong = text
    .replace('"operationId": "getStatus"', '"operationId": "getLanding"')
    .replace('"example": "7d"', '"example": "8d"');
  const problems = await lintFromString({ source: wrong, config });
  expect(problems.map(({ ruleId }) => ruleId)).toEqual(
    expect.arrayContaining(['operation-operationId-unique', 'no-invalid-parameter-examples']),
  );
});

/** A place where a schema is, with what is said of it there. */
type Place = readonly [at: string, said: Node];

/** A node that is a text. */
const textOf = (node: Node | undefined): string => node as unknown as string;

/** Every parameter, body and answer of an operation that a schema describes; a part of a file has none. */
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

/** The examples that are given at a place. */
function examplesAt({ example, examples = {} }: Node): unknown[] {
  const named = Object.values(examples).map((each) => resolve(each)['value'] as unknown);
  return example === undefined ? named : [example, ...named];
}

const places = OPERATIONS.flatMap(placesOf);

it('has an example of every parameter, body and answer of every operation', () => {
  expect(places.filter(([, said]) => examplesAt(said).length === 0).map(([at]) => at)).toEqual([]);
  expect(places.length).toBeGreaterThan(250);
  expect(examplesAt({ schema: {} })).toEqual([]); // one without would be seen
});

it('has examples that are as their schemas say, all of them', () => {
  const faults = places.flatMap(([at, said]) =>
    examplesAt(said).flatMap((example) =>
      validate(said['schema'] ?? {}, example).map((fault) => [at, fault]),
    ),
  );
  expect(faults).toEqual([]);
  const last = places.at(-1)?.[1]['schema'] ?? {};
  expect(validate(last, { type: 'elsewhere' })).not.toEqual([]); // a wrong one would be seen
});

it('has an example of every kind of document that an answer can be', () => {
  const lacking = places.filter(([at, { schema = {}, examples = {} }]) => {
    const kinds = Object.values<Node>(schema['anyOf'] ?? { schema }).map((each) => each['$ref']);
    const names = kinds.filter((ref) => ref !== undefined).map((ref) => textOf(ref).split('/').at(-1) ?? '');
    return !at.includes('parameter') && names.some((name) => name in SCHEMAS && !(name in examples));
  });
  expect(lacking).toEqual([]);
});

it('has examples of documents that the schemas of the files take too', () => {
  const examples = Object.entries(DOCUMENT['components']?.['examples'] ?? {});
  const files = examples.filter(([name]) => name in SCHEMAS);
  expect(files.length).toBeGreaterThan(15);
  const faults = files.map(([name, { value }]) => [name, findSchemaFaults(name as 'status', value)]);
  expect(faults.filter(([, found]) => (found as unknown[]).length > 0)).toEqual([]);
});

it('has rows in the example of a calendar as its schema says', () => {
  const [head = '', ...lines] = CALENDAR_TEXT.trim().split('\n');
  const names = head.split(',');
  const rows = lines.map((line) =>
    Object.fromEntries(
      line.split(',').map((cell, i) => [names[i] ?? '', /^\d+(\.\d+)?$/.test(cell) ? Number(cell) : cell]),
    ),
  );
  expect([rows.length, findSchemaFaults('regime-calendar', rows)]).toEqual([2, []]);
});

it('shows every problem that a described method can have, with its status and an example', () => {
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

it('shows no key but those of the examples, which were never used', () => {
  const keys = text.match(/\b(crd|sk|whsec|rk|pk)_[0-9A-Za-z_]{8,}/g) ?? [];
  expect(new Set(keys)).toEqual(new Set(['crd_test_Abc123xy_ThisIsAnExampleAndNotARealSecret2FGpLk']));
});

it('is small enough to be read at once', () => {
  expect(Buffer.byteLength(canonicalJson(document))).toBeLessThan(250_000);
});
