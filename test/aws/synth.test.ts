import { createHash } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { installLocked } from '../../scripts/python/install-locked.js';
import {
  EXAMPLE_PARAMETERS,
  propertiesOf,
  readTemplates,
  resourcesOf,
  synthesize,
  type Templates,
} from '../fixtures/aws-synth.js';
import { runProgram } from '../fixtures/run-program.js';
import { createTemporaryFolder, type TemporaryFolder } from '../fixtures/temporary-folder.js';

const SLOW_MS = 300_000;
/** What synthesis writes for itself: where things are in the code, and what it need not compute again. */
const NOT_DEPLOYED = /(tree|metadata|manifest|validation-report)\.json$|cdk\.out$|[/\\]\.cdk[/\\]/;
/** Of cfn-lint: the CDK says twice that a role comes before what has it; and zones are named, or synth would look them up. */
const IGNORED = ['W3005', 'W3010'];
const STACKS = ['Store', 'Service', 'Delivery'];

let folder: TemporaryFolder;
beforeAll(async () => {
  folder = await createTemporaryFolder();
});
afterAll(() => folder.dispose());

const below = (name: string): string => path.join(folder.path, name);

/** The digest of every file that deployment reads, by its path. */
async function digestsOf(root: string): Promise<Record<string, string>> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const files = entries.filter((each) => each.isFile()).map((each) => path.join(each.parentPath, each.name));
  const read = files.filter((file) => !NOT_DEPLOYED.test(file)).sort();
  const digests = await Promise.all(
    read.map(async (file) => [
      path.relative(root, file),
      createHash('sha256')
        .update(await readFile(file))
        .digest('hex'),
    ]),
  );
  return Object.fromEntries(digests) as Record<string, string>;
}

it(
  'twice gives the same templates and the same bundle, wherever it is written',
  async () => {
    const [one, other] = [below('one'), below('other/deeper')];
    for (const out of [one, other]) expect(await synthesize(out)).toMatchObject({ code: 0 });
    const digests = await digestsOf(one);
    expect(Object.keys(digests).filter((name) => name.endsWith('handler.mjs')).length).toBe(1);
    expect(await digestsOf(other)).toEqual(digests);
  },
  SLOW_MS,
);

it(
  'asks nobody, and carries nothing of the machine into a template',
  async () => {
    const out = below('clean');
    expect(await synthesize(out)).toMatchObject({ code: 0 });
    expect(JSON.parse(await readFile(path.join(out, 'manifest.json'), 'utf8'))).not.toHaveProperty('missing');
    for (const stack of STACKS) {
      const text = await readFile(path.join(out, `${stack}.template.json`), 'utf8');
      expect(text).not.toContain(fileURLToPath(new URL('../..', import.meta.url)));
    }
  },
  SLOW_MS,
);

it(
  'is clean by cfn-lint',
  async () => {
    const out = below('linted');
    await synthesize(out);
    const python = installLocked({
      what: 'cfn-lint',
      requirements: fileURLToPath(new URL('../cfn-lint/requirements.txt', import.meta.url)),
      folder: fileURLToPath(new URL('../../.cfn-lint', import.meta.url)),
    });
    const program = path.join(path.dirname(python), 'cfn-lint');
    const files = STACKS.map((stack) => path.join(out, `${stack}.template.json`));
    const regions = ['--regions', 'eu-west-1', 'us-east-1'];
    const run = await runProgram(
      program,
      ['--format', 'parseable', '--ignore-checks', ...IGNORED, ...regions, '--', ...files],
      {
        PATH: process.env['PATH'] ?? '',
        HOME: folder.path,
      },
    );
    expect(run).toEqual({ code: 0, stdout: '', stderr: '' });
  },
  SLOW_MS,
);

it(
  'says every fault of the parameters, and makes nothing',
  async () => {
    const example = JSON.parse(await readFile(EXAMPLE_PARAMETERS, 'utf8')) as Record<string, unknown>;
    const file = below('wrong.json');
    const { account: _, ...rest } = example;
    await writeFile(file, JSON.stringify({ ...rest, region: 'Ireland', bucket: 'one', keyMode: 'Live' }));
    const { code, stderr } = await synthesize(below('nothing'), file);
    expect(code).not.toBe(0);
    for (const fault of [
      "required property 'account'",
      '/region must match',
      'additional properties: bucket',
      '/keyMode must be',
    ]) {
      expect(stderr).toContain(fault);
    }
    await writeFile(file, JSON.stringify({ ...example, input: { bucket: 'example-crd-logs', prefix: '' } }));
    expect((await synthesize(below('nothing'), file)).stderr).toContain('must be different buckets');
  },
  SLOW_MS,
);

it(
  'without identity and selling has no task that reconciles, and no secret of Stripe',
  async () => {
    const example = JSON.parse(await readFile(EXAMPLE_PARAMETERS, 'utf8')) as Record<string, unknown>;
    const { identity: _, selling: __, ...rest } = example;
    const file = below('reading-only.json');
    await writeFile(file, JSON.stringify({ ...rest, region: 'us-east-1' }));
    expect(await synthesize(below('reading-only'), file)).toMatchObject({ code: 0 });
    const text = await readFile(path.join(below('reading-only'), 'Service.template.json'), 'utf8');
    expect(text).not.toMatch(/reconcile|stripe-secret|CRD_STRIPE|ReplicaRegions/i);
  },
  SLOW_MS,
);

it(
  'leads requests to the newest version of the gateway, or to the one that is named, and starts it anew when told',
  async () => {
    const example = JSON.parse(await readFile(EXAMPLE_PARAMETERS, 'utf8')) as Record<string, unknown>;
    const read = async (name: string, chosen: object): Promise<Templates> => {
      const file = below(`${name}.json`);
      await writeFile(file, JSON.stringify({ ...example, ...chosen }));
      expect(await synthesize(below(name), file)).toMatchObject({ code: 0 });
      return readTemplates(below(name));
    };
    const versionsOf = ({ Service }: Templates): string[] =>
      Object.keys(resourcesOf(Service, 'AWS::Lambda::Version'));
    const aliasOf = ({ Service }: Templates): unknown =>
      propertiesOf(Service, 'AWS::Lambda::Alias')['FunctionVersion'];
    const newest = await read('newest', {});
    const [version = ''] = versionsOf(newest);
    expect(aliasOf(newest)).toEqual({ 'Fn::GetAtt': [version, 'Version'] });
    const again = await read('again', { restarted: '2026-11-22' });
    expect(versionsOf(again)).not.toEqual([version]);
    const secret = '0123456789abcdef0123456789abcdef';
    const held = await read('held', {
      liveVersion: '12',
      restarted: '2026-11-22',
      originSecretVersion: secret,
    });
    expect(aliasOf(held)).toBe('12');
    expect(versionsOf(held)).toEqual(versionsOf(again));
    expect(JSON.stringify(held.Delivery)).toContain(
      `{{resolve:secretsmanager:crd/origin-eu-west-1:SecretString:::${secret}}}`,
    );
  },
  SLOW_MS,
);
