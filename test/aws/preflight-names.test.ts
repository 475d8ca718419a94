import { readFile } from 'node:fs/promises';
import { namedLogs, namedSecrets } from '../../infra/aws/preflight/preflight.js';
import type { Parameters } from '../../infra/aws/settings/parameters.js';
import { EXAMPLE_PARAMETERS, readTemplates, resourcesOf } from '../support/aws/aws-synth.js';

const parameters = JSON.parse(await readFile(EXAMPLE_PARAMETERS, 'utf8')) as Parameters;
const { Service, Delivery } = await readTemplates();

it.each([
  ['secret', 'AWS::SecretsManager::Secret', 'Name', namedSecrets(parameters)],
  ['log', 'AWS::Logs::LogGroup', 'LogGroupName', namedLogs(parameters)],
])('preflight checks the name of every %s that a deleted stack leaves', (_what, type, member, checked) => {
  const left = [Service, Delivery]
    .flatMap((template) => Object.values(resourcesOf(template, type)))
    .filter(({ DeletionPolicy: policy = 'Delete' }) => policy !== 'Delete');
  expect(left.length).toBeGreaterThan(2);
  expect(checked.map(({ name }) => name).sort()).toEqual(
    left.map(({ Properties }) => Properties?.[member]).sort(),
  );
});
