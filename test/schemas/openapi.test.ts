import { createConfig, lintFromString } from '@redocly/openapi-core';
import { openApiDocument } from '../../schemas/openapi.js';
import { PROBLEMS } from '../../schemas/problems.js';

const document = openApiDocument();
const text = JSON.stringify(document, null, 1);

it('breaks no rule of a linter of its field', async () => {
  // Conditions of our schemas require properties that are described beside them, not within.
  const rules = { 'no-required-schema-properties-undefined': 'off', 'no-ambiguous-paths': 'off' } as const;
  const config = await createConfig({ extends: ['recommended-strict'], rules });
  const problems = await lintFromString({ source: text, config });
  expect(problems.map(({ ruleId, message, location: [at] }) => [ruleId, message, at?.pointer])).toEqual([]);
});

it('is judged by that linter: a fault is found', async () => {
  const config = await createConfig({ extends: ['recommended-strict'] });
  const wrong = text.replace('"operationId": "getStatus"', '"operationId": "getLanding"');
  const problems = await lintFromString({ source: wrong, config });
  expect(problems.map(({ ruleId }) => ruleId)).toContain('operation-operationId-unique');
});

it('shows every problem that a described method can have, with an example', () => {
  const missing = Object.entries(PROBLEMS)
    .filter(([, { meaning }]) => !text.includes(`"detail": ${JSON.stringify(meaning)}`))
    .map(([code]) => code);
  expect(missing).toEqual(['method-not-allowed']); // it is that of methods that are not described
});

it('is the same each time', () => {
  expect(openApiDocument()).toEqual(document);
});
