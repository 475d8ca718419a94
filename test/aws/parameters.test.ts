import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { readParameters } from '../../infra/aws/settings/parameters.js';
import { EXAMPLE_PARAMETERS } from '../support/aws/aws-synth.js';
import { createTemporaryFolder, type TemporaryFolder } from '../support/process/temporary-folder.js';

const { collect: _, ...EXAMPLE } = JSON.parse(await readFile(EXAMPLE_PARAMETERS, 'utf8')) as Record<
  string,
  unknown
>;
const { certificateArn } = EXAMPLE;

let folder: TemporaryFolder;
beforeAll(async () => {
  folder = await createTemporaryFolder();
});
afterAll(() => folder.dispose());

/** Reads the example with changed parameters. Returns the error as text, or an empty string if they are valid. */
async function faultsOf(changed: object): Promise<string> {
  const file = path.join(folder.path, 'parameters.json');
  await writeFile(file, JSON.stringify({ ...EXAMPLE, ...changed }));
  try {
    readParameters(file);
    return '';
  } catch (error) {
    return String(error);
  }
}

const KEYS = { keys: ['k2026'], trail: 'create' };

it.each([
  ['nothing beyond the example', {}, ''],
  ['an account', { account: undefined }, "required property 'account'"],
  ['a region', { region: 'Ireland' }, '/region must match'],
  ['no other members', { bucket: 'one' }, 'additional properties: bucket'],
  ['a known kind of keys', { keyMode: 'Live' }, '/keyMode must be'],
  ['zones of the region', { zones: ['eu-west-1a', 'us-east-1b'] }, '/zones must be zones of eu-west-1'],
  ['two zones', { zones: ['eu-west-1a'] }, '/zones must NOT have fewer than 2 items'],
  [
    'a backup in another region',
    { backup: { region: 'eu-west-1', bucket: 'copy', accounts: 'copy-2', logs: 'copy-3' } },
    '/backup/region must be another region',
  ],
  [
    "a certificate of the API in the API's region",
    { apiDomain: { host: 'api.example.com', certificateArn } },
    '/apiDomain/certificateArn must be in /region',
  ],
  ['different buckets', { input: { bucket: 'example-crd-logs', prefix: '' } }, 'must be different'],
  [
    'a signing key that exists',
    { signing: { ...KEYS, use: 'other' } },
    '/signing/use must be one of /signing/keys',
  ],
  [
    'a whole trust anchor',
    { signing: { ...KEYS, use: 'k2026', trust: 'https://data.example.com' } },
    '/signing/trust must match',
  ],
  [
    'a trust anchor of the host',
    { signing: { ...KEYS, use: 'k2026', trust: `https://other.example.com#${'A'.repeat(43)}` } },
    '/signing/trust must be an anchor of https://data.example.com',
  ],
  [
    'a key in use, if there is a trust anchor',
    { signing: { ...KEYS, trust: `https://data.example.com#${'A'.repeat(43)}` } },
    '/signing/trust needs /signing/use',
  ],
])('the parameters require %s', async (_name, changed, fault) => {
  const faults = await faultsOf(changed);
  expect([fault === '', faults]).toEqual([faults === '', expect.stringContaining(fault)]);
});

it('the parameters require a valid policy of sources, and the error names its faults', async () => {
  const policy = path.join(folder.path, 'policy.json');
  await writeFile(policy, JSON.stringify({ schema: 'sources-policy/1', sources: {} }));
  const faults = await faultsOf({ collect: { policy } });
  expect(faults).toContain(`${policy} is not a policy of sources`);
  expect(faults).toContain('chains');
});
