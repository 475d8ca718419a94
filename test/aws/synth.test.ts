import { createHash } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
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
import { readParameters } from '../../infra/aws/settings/parameters.js';
import { resolve } from '../support/aws/policy-simulator.js';
import { createTemporaryFolder, type TemporaryFolder } from '../support/process/temporary-folder.js';

const SLOW_MS = 300_000;
/** Files that the CDK writes and does not deploy: the construct tree, manifests, reports and caches. */
const NOT_DEPLOYED = /(tree|metadata|manifest|validation-report)\.json$|cdk\.out$|[/\\]\.cdk[/\\]/;

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

it('refuses to deploy CloudFront before the host of the gateway is known, and only CloudFront', async () => {
  const metadataOf = (stack: string): Promise<string> =>
    readFile(path.join(exampleFolder(), `${stack}.metadata.json`), 'utf8');
  expect(await metadataOf('Delivery')).toMatch(/"aws:cdk:error".*gatewayHost is gateway\.invalid\. Deploy/s);
  for (const stack of ['Backup', 'Store', 'Service'])
    expect(await metadataOf(stack)).not.toContain('aws:cdk:error');
});

it('what a failed first deployment has created is deleted, so that the next one can create it again', () => {
  const policies = [...JSON.stringify(EXAMPLE_TEMPLATES).matchAll(/"DeletionPolicy":"(\w+)"/g)];
  expect(new Set(policies.map(([, policy]) => policy))).toEqual(new Set(['RetainExceptOnCreate', 'Delete']));
});

it(
  'reports every fault of the parameters, and writes no template',
  async () => {
    const { account: _, ...rest } = EXAMPLE;
    const parameters = await writeParameters('wrong', { ...rest, region: 'Ireland' });
    const { code, stderr } = await synthesize({ parameters, folder: inFolder('nothing') });
    expect(code).not.toBe(0);
    for (const fault of ["required property 'account'", '/region must match'])
      expect(stderr).toContain(fault);
    expect(await readdir(inFolder('nothing')).catch(() => [])).not.toContain('Store.template.json');
  },
  SLOW_MS,
);

describe('with other parameters', () => {
  const SECRET_VERSION = '0123456789abcdef0123456789abcdef';
  const {
    identity,
    selling: _,
    signing: _signing,
    backup: _backup,
    collect: _collect,
    backfill: _backfill,
    ...free
  } = EXAMPLE;
  const API_DOMAIN = {
    host: 'api.example.com',
    certificateArn: 'arn:aws:acm:eu-west-1:123456789012:certificate/0',
  };
  const CLIENT = {
    id: 'web-1',
    scopes: 'openid email',
    resource: 'https://data.example.com/',
    token: 'id',
    signOut: 'get',
    origins: ['https://token.example.com'],
  };
  const VARIANTS = {
    free: {
      ...free,
      region: 'us-east-1',
      zones: ['us-east-1b', 'us-east-1d'],
      firewall: false,
      input: { bucket: 'own-metrics', prefix: '', existing: true },
    },
    closed: {
      ...EXAMPLE,
      protected: true,
      userPool: { domain: 'crd-login' },
      throttle: 500,
      linkSeconds: 3_000,
      gatewayHost: API_DOMAIN.host,
      apiDomain: API_DOMAIN,
    },
    opening: { ...EXAMPLE, gatewayHost: 'abcdefghij.execute-api.example', apiDomain: API_DOMAIN },
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
    expect(keysOf(templates.free)).toEqual([]);
    expect(JSON.stringify([Service, Store])).not.toMatch(
      /AWS::CloudTrail|CRD_SIGNING_KEY|cloudtrail\.amazonaws/,
    );
    expect(Object.keys(resourcesOf(Service, 'AWS::Events::Rule'))).toHaveLength(1); // about failed tasks
  });

  it('has no stack for a backup, no replica and no alarm about it without a backup', () => {
    expect(templates.free).not.toHaveProperty('Backup');
    expect(JSON.stringify(templates.free)).not.toMatch(/Replicat|replica/);
  });

  it('has no firewall if it is turned off', () => {
    expect(JSON.stringify(templates.free.Delivery)).not.toMatch(/WAFv2|WebACLId/);
  });

  it('uses the availability zones of the parameters', () => {
    const zones = Object.values(resourcesOf(templates.free.Service, 'AWS::EC2::Subnet')).map(
      ({ Properties }) => Properties?.['AvailabilityZone'],
    );
    expect(zones).toEqual(['us-east-1b', 'us-east-1d']);
  });

  const protectionOf = async (name: string): Promise<unknown[]> => {
    const { artifacts } = JSON.parse(await readFile(path.join(name, 'manifest.json'), 'utf8')) as {
      artifacts: Record<string, { type: string; properties: { terminationProtection?: boolean } }>;
    };
    const stacks = Object.values(artifacts).filter(({ type }) => type === 'aws:cloudformation:stack');
    return stacks.map(({ properties }) => properties.terminationProtection === true);
  };

  it('protects the stacks from deletion only if "protected" is set', async () => {
    expect(new Set(await protectionOf(exampleFolder()))).toEqual(new Set([false]));
    expect(new Set(await protectionOf(inFolder('closed')))).toEqual(new Set([true]));
  });

  it('closes the other address of the HTTP API once CloudFront uses its own domain', () => {
    const isClosed = ({ Service }: Templates): unknown =>
      propertiesOf(Service, 'AWS::ApiGatewayV2::Api')['DisableExecuteApiEndpoint'];
    expect([EXAMPLE_TEMPLATES, templates.opening, templates.closed].map(isClosed)).toEqual([
      false,
      false,
      true,
    ]);
    const { Outputs = {} } = templates.closed.Service;
    expect(Object.entries(Outputs).find(([id]) => id.includes('GatewayHost'))?.[1].Value).toBe(
      'api.example.com',
    );
    expect(resourcesOf(templates.opening.Service, 'AWS::ApiGatewayV2::ApiMapping')).not.toEqual({});
  });

  it('passes the life of links on to the gateway, which has its default otherwise', () => {
    const secondsOf = ({ Service }: Templates): unknown =>
      Object.values(resourcesOf(Service, 'AWS::Lambda::Function'))
        .map(({ Properties: { Environment } = {} }) => Environment)
        .map((each) => (each as { Variables?: Record<string, unknown> } | undefined)?.Variables)
        .find((variables) => variables?.['CRD_STORE'] !== undefined)?.['CRD_URL_TTL_SECONDS'];
    expect([secondsOf(templates.closed), secondsOf(templates.free)]).toEqual(['3000', undefined]);
  });

  it('passes the throttle on to the HTTP API and to the alarm on its half', () => {
    const { Service } = templates.closed;
    expect(propertiesOf(Service, 'AWS::ApiGatewayV2::Stage')['DefaultRouteSettings']).toMatchObject({
      ThrottlingRateLimit: 500,
    });
    expect(propertiesOf(Service, 'AWS::CloudWatch::Alarm', { AlarmName: 'crd-RequestVolume' })).toMatchObject(
      { Threshold: 75_000 }, // 250 a second in five minutes
    );
  });

  it(
    'the user pool prints the parameter with which the gateway accepts its ID tokens',
    async () => {
      const { Identity } = templates.closed;
      if (Identity === undefined) throw new Error('no stack Identity');
      const [{ Value } = { Value: undefined }] = Object.values(Identity.Outputs ?? {});
      const text = resolve(Value).replaceAll(/<\w+>/g, (id) =>
        id.includes('AccountPage') ? 'CLIENT' : 'eu-west-1_POOL',
      );
      const printed = JSON.parse(text) as object;
      expect(printed).toEqual({
        jwks: 'https://cognito-idp.eu-west-1.amazonaws.com/eu-west-1_POOL/.well-known/jwks.json',
        issuer: 'https://cognito-idp.eu-west-1.amazonaws.com/eu-west-1_POOL',
        audience: 'CLIENT',
        client: {
          id: 'CLIENT',
          scopes: 'openid email',
          token: 'id',
          signOut: 'get',
          origins: ['https://crd-login.auth.eu-west-1.amazoncognito.com'],
        },
      });
      const file = await writeParameters('signed-in', { ...EXAMPLE, identity: printed });
      expect(readParameters(file)).toMatchObject({ identity: printed });
    },
    SLOW_MS,
  );

  it('the client of the user pool is public, and returns only to the account page', () => {
    const { Identity } = templates.closed;
    if (Identity === undefined) throw new Error('no stack Identity');
    expect(propertiesOf(Identity, 'AWS::Cognito::UserPoolClient')).toMatchObject({
      GenerateSecret: false,
      AllowedOAuthFlows: ['code'],
      AllowedOAuthScopes: ['openid', 'email'],
      CallbackURLs: ['https://data.example.com/account'],
      LogoutURLs: ['https://data.example.com/account'],
      PreventUserExistenceErrors: 'ENABLED',
    });
    expect(propertiesOf(Identity, 'AWS::Cognito::UserPoolDomain')).toMatchObject({
      Domain: 'crd-login',
      ManagedLoginVersion: 2, // the classic pages ignore prompt=none
    });
    expect(propertiesOf(Identity, 'AWS::Cognito::ManagedLoginBranding')).toMatchObject({
      UseCognitoProvidedValues: true,
    });
  });

  it('creates keys before one is used, and no trail if the account has one', () => {
    const { Service, Store } = templates.unused;
    expect(keysOf(templates.unused)).toHaveLength(2);
    expect(signingKeyOf(templates.unused)).toBeUndefined();
    expect(JSON.stringify([Service, Store])).not.toMatch(
      /AWS::CloudTrail|SigningSilent|cloudtrail\.amazonaws/,
    );
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
        CRD_OIDC_SIGN_OUT: 'get',
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
