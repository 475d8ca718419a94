import { createHash } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { installLocked } from '../../scripts/python/install-locked.js';
import {
  EXAMPLE_PARAMETERS,
  exampleFolder,
  propertiesOf,
  readTemplates,
  resourcesOf,
  synthesize,
  synthesizeAll,
  type Templates,
} from '../support/aws/aws-synth.js';
import { runProgram, type ProgramRun } from '../support/process/run-program.js';
import { createTemporaryFolder, type TemporaryFolder } from '../support/process/temporary-folder.js';

const SLOW_MS = 300_000;
/** Files that the CDK writes and does not deploy: the construct tree, manifests, reports and caches. */
const NOT_DEPLOYED = /(tree|metadata|manifest|validation-report)\.json$|cdk\.out$|[/\\]\.cdk[/\\]/;
/** cfn-lint: the CDK declares some dependencies twice (W3005); app.ts names the availability zones, so that the CDK does not look them up (W3010). */
const IGNORED = ['W3005', 'W3010'];
const STACKS = ['Store', 'Service', 'Delivery', 'Backfill'];

const POLICY = fileURLToPath(new URL('../../templates/sources.policy.json', import.meta.url));
const EXAMPLE: Record<string, unknown> = {
  ...(JSON.parse(await readFile(EXAMPLE_PARAMETERS, 'utf8')) as object),
  collect: { policy: POLICY }, // the example names it relative to its own folder
};
const EXAMPLE_TEMPLATES = await readTemplates();

let folder: TemporaryFolder;
beforeAll(async () => {
  folder = await createTemporaryFolder();
});
afterAll(() => folder.dispose(), SLOW_MS);

const inFolder = (name: string): string => path.join(folder.path, name);

async function writeParameters(name: string, parameters: object): Promise<string> {
  const file = inFolder(`${name}.json`);
  await writeFile(file, JSON.stringify(parameters));
  return file;
}

/** Returns the digests of all files that are deployed, by their paths. */
async function digestsOf(root: string): Promise<Record<string, string>> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  const files = entries.filter((each) => each.isFile()).map((each) => path.join(each.parentPath, each.name));
  const deployed = files.filter((file) => !NOT_DEPLOYED.test(file)).sort();
  const digests = await Promise.all(
    deployed.map(async (file) => [
      path.relative(root, file),
      createHash('sha256')
        .update(await readFile(file))
        .digest('hex'),
    ]),
  );
  return Object.fromEntries(digests) as Record<string, string>;
}

it(
  'synthesizing again elsewhere results in the same templates and the same bundle',
  async () => {
    const other = inFolder('other/deeper');
    expect(await synthesize({ parameters: EXAMPLE_PARAMETERS, folder: other })).toMatchObject({ code: 0 });
    const digests = await digestsOf(exampleFolder());
    expect(Object.keys(digests).filter((name) => name.endsWith('handler.mjs')).length).toBe(1);
    expect(await digestsOf(other)).toEqual(digests);
  },
  SLOW_MS,
);

it('looks nothing up online, and writes no path of this machine into a template', async () => {
  const manifest = await readFile(path.join(exampleFolder(), 'manifest.json'), 'utf8');
  expect(JSON.parse(manifest)).not.toHaveProperty('missing');
  expect(JSON.stringify(EXAMPLE_TEMPLATES)).not.toContain(fileURLToPath(new URL('../..', import.meta.url)));
});

it(
  'passes cfn-lint',
  async () => {
    const python = installLocked({
      what: 'cfn-lint',
      requirements: fileURLToPath(new URL('../python/cfn-lint/requirements.txt', import.meta.url)),
      folder: fileURLToPath(new URL('../../.python/cfn-lint', import.meta.url)),
    });
    const program = path.join(path.dirname(python), 'cfn-lint');
    const files = STACKS.map((stack) => path.join(exampleFolder(), `${stack}.template.json`));
    const regions = ['--regions', 'eu-west-1', 'us-east-1', 'us-east-2'];
    const run = await runProgram(
      program,
      ['--format', 'parseable', '--ignore-checks', ...IGNORED, ...regions, '--', ...files],
      { PATH: process.env['PATH'] ?? '', HOME: folder.path },
    );
    expect(run).toEqual({ code: 0, stdout: '', stderr: '' });
  },
  SLOW_MS,
);

describe('with wrong parameters', () => {
  const fail = async (parameters: object): Promise<ProgramRun> => {
    const file = await writeParameters('wrong', parameters);
    return synthesize({ parameters: file, folder: inFolder('nothing') });
  };

  it(
    'reports every fault, and writes no template',
    async () => {
      const { account: _, ...rest } = EXAMPLE;
      const { code, stderr } = await fail({ ...rest, region: 'Ireland', bucket: 'one', keyMode: 'Live' });
      expect(code).not.toBe(0);
      for (const fault of [
        "required property 'account'",
        '/region must match',
        'additional properties: bucket',
        '/keyMode must be',
      ]) {
        expect(stderr).toContain(fault);
      }
      expect(await readdir(inFolder('nothing')).catch(() => [])).not.toContain('Store.template.json');
    },
    SLOW_MS,
  );

  it(
    'requires a key that exists',
    async () => {
      const { stderr } = await fail({ ...EXAMPLE, signing: { keys: ['a'], use: 'b', trail: 'create' } });
      expect(stderr).toContain('/signing/use must be one of /signing/keys');
    },
    SLOW_MS,
  );

  it(
    'requires a valid policy of sources',
    async () => {
      const policy = inFolder('policy.json');
      await writeFile(policy, JSON.stringify({ schema: 'sources-policy/1', sources: {} }));
      const { stderr } = await fail({ ...EXAMPLE, collect: { policy } });
      expect(stderr).toContain(`${policy} is no policy of sources`);
      expect(stderr).toContain('chains');
    },
    SLOW_MS,
  );

  it(
    'requires different buckets',
    async () => {
      const { stderr } = await fail({ ...EXAMPLE, input: { bucket: 'example-crd-logs', prefix: '' } });
      expect(stderr).toContain('must be different');
    },
    SLOW_MS,
  );
});

describe('with other parameters', () => {
  const SECRET_VERSION = '0123456789abcdef0123456789abcdef';
  const {
    identity,
    selling: _,
    signing: _signing,
    collect: _collect,
    backfill: _backfill,
    ...free
  } = EXAMPLE;
  const CLIENT = {
    id: 'web-1',
    scopes: 'openid email',
    resource: 'https://data.example.com/',
    token: 'id',
    origins: ['https://token.example.com'],
  };
  const VARIANTS = {
    free: {
      ...free,
      region: 'us-east-1',
      input: { bucket: 'own-metrics', prefix: '', existing: true },
    },
    unused: { ...EXAMPLE, signing: { keys: ['k2026', 'k2027'], trail: 'existing' } },
    rotated: { ...EXAMPLE, signing: { keys: ['k2026', 'k2027'], use: 'k2027', trail: 'create' } },
    typed: {
      ...free,
      identity: { ...(identity as object), type: 'at+jwt', client: CLIENT },
    },
    restarted: { ...EXAMPLE, restarted: '2026-11-22' },
    pinned: { ...EXAMPLE, originSecretVersion: SECRET_VERSION },
  };
  const templates = {} as Record<keyof typeof VARIANTS, Templates>;
  beforeAll(async () => {
    const deployments = await Promise.all(
      Object.entries(VARIANTS).map(async ([name, parameters]) => ({
        parameters: await writeParameters(name, parameters),
        folder: inFolder(name),
      })),
    );
    expect(await synthesizeAll(deployments)).toMatchObject({ code: 0 });
    for (const name of Object.keys(VARIANTS) as (keyof typeof VARIANTS)[])
      templates[name] = await readTemplates(inFolder(name));
  }, SLOW_MS);

  const versionsOf = ({ Service }: Templates): string[] =>
    Object.keys(resourcesOf(Service, 'AWS::Lambda::Version'));
  const aliasOf = ({ Service }: Templates): unknown =>
    propertiesOf(Service, 'AWS::Lambda::Alias')['FunctionVersion'];

  it('has no reconciliation and no secret of Stripe without identity and selling', () => {
    expect(JSON.stringify(templates.free.Service)).not.toMatch(/reconcile|stripe-secret|CRD_STRIPE/i);
  });

  const keysOf = ({ Service }: Templates): string[] => Object.keys(resourcesOf(Service, 'AWS::KMS::Key'));
  const signingKeyOf = ({ Service }: Templates): string | undefined =>
    /"CRD_SIGNING_KEY","Value":\{"Fn::Join":\["",\["kms:",\{"Fn::GetAtt":\["(\w+)"/.exec(
      JSON.stringify(Service),
    )?.[1];

  it('has no key, no trail and no watch without signing', () => {
    const { Service, Store } = templates.free;
    expect(JSON.stringify([Service, Store])).not.toMatch(
      /AWS::KMS|AWS::CloudTrail|CRD_SIGNING_KEY|cloudtrail/,
    );
    expect(Object.keys(resourcesOf(Service, 'AWS::Events::Rule'))).toHaveLength(1); // about failed tasks
  });

  it('creates keys before one is used, and no trail if the account has one', () => {
    const { Service, Store } = templates.unused;
    expect(keysOf(templates.unused)).toHaveLength(2);
    expect(signingKeyOf(templates.unused)).toBeUndefined();
    expect(JSON.stringify([Service, Store])).not.toMatch(/AWS::CloudTrail|SigningSilent|cloudtrail/);
    expect(Object.keys(resourcesOf(Service, 'AWS::Events::Rule'))).toHaveLength(4);
  });

  it('a rotation keeps the old key, and the publish signs with the new one', () => {
    const [old, next, ...others] = keysOf(templates.rotated);
    expect([[old], others]).toEqual([keysOf(EXAMPLE_TEMPLATES), []]);
    expect([signingKeyOf(EXAMPLE_TEMPLATES), signingKeyOf(templates.rotated)]).toEqual([old, next]);
  });

  it('collects nothing without a policy, and creates no bucket for an existing input', () => {
    const { Service, Store } = templates.free;
    expect(JSON.stringify(Service)).not.toMatch(/collect/i);
    expect(JSON.stringify(Service)).toContain('"s3://own-metrics/"');
    expect(JSON.stringify(Store)).not.toMatch(/own-metrics|input/);
  });

  it('does not replicate the origin secret if the gateway is in the region of CloudFront', () => {
    expect(JSON.stringify(templates.free.Service)).not.toContain('ReplicaRegions');
    expect(JSON.stringify(EXAMPLE_TEMPLATES.Service)).toContain('ReplicaRegions');
  });

  it('passes on how the account page signs in', () => {
    expect(propertiesOf(templates.typed.Service, 'AWS::Lambda::Function')['Environment']).toMatchObject({
      Variables: {
        CRD_OIDC_CLIENT_ID: 'web-1',
        CRD_OIDC_SCOPES: 'openid email',
        CRD_OIDC_RESOURCE: 'https://data.example.com/',
        CRD_OIDC_TOKEN: 'id',
        CRD_OIDC_ORIGINS: 'https://token.example.com',
      },
    });
    expect(JSON.stringify(templates.free.Service)).not.toContain('CRD_OIDC');
  });

  it('passes the type of session tokens on to the gateway, if there is one', () => {
    expect(JSON.stringify(templates.typed.Service)).toContain('"CRD_JWT_TYPE":"at+jwt"');
    expect(JSON.stringify(EXAMPLE_TEMPLATES.Service)).not.toContain('CRD_JWT_TYPE');
  });

  it('serves requests with the newest version of the gateway by default', () => {
    const [version = ''] = versionsOf(EXAMPLE_TEMPLATES);
    expect(aliasOf(EXAMPLE_TEMPLATES)).toEqual({ 'Fn::GetAtt': [version, 'Version'] });
  });

  it('creates a new version of the gateway for another value of "restarted"', () => {
    expect(versionsOf(templates.restarted)).not.toEqual(versionsOf(EXAMPLE_TEMPLATES));
  });

  it('makes CloudFront send the value of the origin secret that "originSecretVersion" names', () => {
    expect(JSON.stringify(templates.pinned.Delivery)).toContain(
      `{{resolve:secretsmanager:crd/origin-eu-west-1:SecretString:::${SECRET_VERSION}}}`,
    );
  });
});
