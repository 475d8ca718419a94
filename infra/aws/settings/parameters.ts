import { readFileSync } from 'node:fs';
import path from 'node:path';
import { Ajv } from 'ajv';
import { findAllSchemaFaults } from '../../../schemas/validate.js';
import { ANCHOR } from '../../../schemas/trust/trust-anchor.js';

/** The parameters of a deployment, which the operator chooses. */
export type Parameters = {
  /** AWS account of all stacks. */
  readonly account: string;
  /** Region of the buckets and the programs. */
  readonly region: string;
  /** Prefix of the names of stacks, roles and functions, so that an account can have several deployments. */
  readonly name: string;
  /** Whether the stacks are protected from deletion: true once the first deployment has succeeded. */
  readonly protected?: boolean;
  /** Availability zones of the tasks, two or three of the region. */
  readonly zones: readonly string[];
  readonly buckets: { readonly published: string; readonly accounts: string; readonly logs: string };
  /** Base of the image of the tasks, with its digest. */
  readonly baseImage: string;
  /**
   * Location of the daily metrics. The prefix is empty or ends with a slash. The store stack creates the bucket unless it is
   * `existing`.
   */
  readonly input: { readonly bucket: string; readonly prefix: string; readonly existing?: boolean };
  /** How metrics are collected into `input`: the text of a policy, whose file the operator names. Without it, others fill `input`. */
  readonly collect?: { readonly policy: string };
  /** Limit of a query of the backfill with Athena; without it, there is no stack for it. */
  readonly backfill?: { readonly maxGigabytesPerQuery: number };
  /** Public host name of the API and the pages. */
  readonly host: string;
  /** Certificate of the host in us-east-1, as CloudFront requires. */
  readonly certificateArn: string;
  /** Host of the gateway behind CloudFront: usually the output `GatewayHost` of the service stack. */
  readonly gatewayHost: string;
  /** Host of the HTTP API with a certificate in the region. Once `gatewayHost` is this host, the API answers at no other. */
  readonly apiDomain?: { readonly host: string; readonly certificateArn: string };
  /** Requests a second that the HTTP API accepts; by default 100. */
  readonly throttle?: number;
  /** Requests a minute that CloudFront accepts from an address and with a key; `false` for no firewall. */
  readonly firewall?: { readonly perAddress?: number; readonly perKey?: number } | false;
  /** Seconds that a link to a file is valid; by default 300. Its signer is renewed every hour, so at most 50 minutes. */
  readonly linkSeconds?: number;
  /** Dollars a month from which AWS sends a mail about the costs of the account; by default 60. */
  readonly budgetUsd?: number;
  /** Version of the secret that CloudFront sends; by default the newest one at the first deployment. */
  readonly originSecretVersion?: string;
  /** Any text. Changing it restarts the gateway, which then reads its secrets again. */
  readonly restarted?: string;
  /**
   * Buckets in another region: of a daily copy of the store of releases, of a replica of the accounts, and of their logs.
   * Without it there is no backup.
   */
  readonly backup?: {
    readonly region: string;
    readonly bucket: string;
    readonly accounts: string;
    readonly logs: string;
  };
  /** Address that alarms are sent to. */
  readonly alarmEmail: string;
  /** Kind of API keys that the gateway creates and accepts. */
  readonly keyMode: 'live' | 'test';
  readonly corsOrigins: readonly string[];
  readonly dashboardOrigins: readonly string[];
  /** Identity provider of dashboard sessions; without it there are none. */
  readonly identity?: {
    readonly jwks: string;
    readonly issuer: string;
    readonly audience: string;
    /** Type (`typ`) of its session tokens; by default JWT or none. */
    readonly type?: string;
    /** How the account page signs in; without it, nobody can. */
    readonly client?: {
      readonly id: string;
      /** Separated by blanks; by default openid. */
      readonly scopes?: string;
      readonly resource?: string;
      /** Token that is the session; by default the access token. */
      readonly token?: 'access' | 'id';
      /** Method that ends the session at the provider; by default post. */
      readonly signOut?: 'post' | 'get';
      /** Origins of its token endpoint, besides the issuer's. */
      readonly origins?: readonly string[];
    };
  };
  /** Prefix of the domain of a Cognito user pool, which is the identity provider; without it there is no user pool. */
  readonly userPool?: { readonly domain: string };
  /** Keys that sign releases; without them, releases are not signed. */
  readonly signing?: {
    /** Names of the keys: the one that signs, the next one before a rotation, and earlier ones until they are deleted. */
    readonly keys: readonly string[];
    /** Name of the key that signs; without it, none does yet. */
    readonly use?: string;
    /** Trust anchor of the readers: SITE#THUMBPRINT. A run refuses a key set with another root key. */
    readonly trust?: string;
    /** Trail of AWS CloudTrail that reports the use of the keys: one of this deployment, or one that the account has. */
    readonly trail: 'create' | 'existing';
  };
  /** Prices at Stripe; without them, nothing is sold. */
  readonly selling?: {
    readonly priceSingleChain: string;
    readonly priceResearch: string;
    readonly dashboardUrl: string;
  };
};

/** Validates parameters. @throws Error that lists every fault of the schema with its path, or else what does not fit together. */
function toParameters(value: unknown): Parameters {
  const validate = new Ajv({ allErrors: true }).compile<Parameters>(SCHEMA);
  if (validate(value)) return withKnownNames(value);
  const faults = (validate.errors ?? []).map(({ instancePath, message = '', params }) => {
    const { additionalProperty: name } = params as { additionalProperty?: string };
    return `  ${instancePath || '/'} ${message}${name === undefined ? '' : `: ${name}`}`;
  });
  throw new Error(`the parameters are not valid. Correct:\n${faults.join('\n')}`);
}

function withKnownNames(parameters: Parameters): Parameters {
  const faults = faultsOf(parameters);
  if (faults.length === 0) return parameters;
  throw new Error(`the parameters are not valid. Correct:\n  ${faults.join('\n  ')}`);
}

/** Returns what does not fit together in parameters that are valid one by one. */
function faultsOf({ region, zones, host, buckets, input, backup, signing, apiDomain }: Parameters): string[] {
  const { region: backupRegion, ...copies } = backup ?? {};
  const names = [...Object.values(buckets), input.bucket, ...Object.values(copies)];
  const isZone = (zone: string): boolean =>
    zone.startsWith(region) && /^[a-z]$/.test(zone.slice(region.length));
  const checks: Readonly<Record<string, boolean>> = {
    '/buckets, /input and /backup must be different': new Set(names).size === names.length,
    '/backup/region must be another region': backupRegion !== region,
    [`/zones must be zones of ${region}, such as ${region}a`]: zones.every(isZone),
    '/signing/use must be one of /signing/keys':
      signing?.use === undefined || signing.keys.includes(signing.use),
    [`/signing/trust must be an anchor of https://${host}`]:
      signing?.trust === undefined || signing.trust.startsWith(`https://${host}#`),
    '/signing/trust needs /signing/use': signing?.trust === undefined || signing.use !== undefined,
    '/apiDomain/certificateArn must be in /region': [undefined, region].includes(
      apiDomain?.certificateArn.split(':')[3],
    ),
  };
  return Object.keys(checks).filter((fault) => checks[fault] === false);
}

/** Returns the parameters of the buckets of the backup. */
export function backupParameters(
  parameters: Parameters,
  { region, bucket: published, accounts, logs }: NonNullable<Parameters['backup']>,
): Parameters {
  const { backup: _, ...rest } = parameters; // the policy of the logs also allows the trail of signing keys, for the loss of a region
  const input = { ...rest.input, existing: true }; // metrics stay in their region
  return { ...rest, region, buckets: { published, accounts, logs }, input };
}

/** Reads the parameters from a file. @throws Error if it cannot be read or is not valid. */
export function readParameters(file: string | undefined): Parameters {
  if (file === undefined) {
    throw new Error('no parameters file. Add -c parameters=FILE, a file like parameters.example.json.');
  }
  const parameters = toParameters(JSON.parse(readFileSync(file, 'utf8')));
  const { collect } = parameters;
  return collect === undefined
    ? parameters
    : { ...parameters, collect: { policy: readPolicy(path.resolve(path.dirname(file), collect.policy)) } };
}

/** Returns the text of a policy of sources, on one line. @throws Error that lists every fault of its schema */
function readPolicy(file: string): string {
  const policy: unknown = JSON.parse(readFileSync(file, 'utf8'));
  const faults = findAllSchemaFaults('sources-policy', policy);
  if (faults.length === 0) return JSON.stringify(policy);
  const lines = faults.map(({ pointer, message }) => `  ${pointer || '/'} ${message}`);
  throw new Error(`${file} is not a policy of sources. Correct:\n${lines.join('\n')}`);
}

const REGION = '^[a-z]{2}(-[a-z]+)+-\\d$';
const text = { type: 'string', minLength: 1 };
const list = { type: 'array', items: text, uniqueItems: true };
const bucket = { type: 'string', pattern: '^[a-z0-9][a-z0-9-]{1,61}[a-z0-9]$' }; // with a dot, the name does not match S3's TLS certificate
const keyName = { type: 'string', pattern: '^[a-z0-9]{1,20}$' };
const host = { type: 'string', pattern: '^[a-z0-9-]+(\\.[a-z0-9-]+)+$' };
const certificateOf = (region: string): string => `^arn:aws:acm:${region}:\\d{12}:certificate/[a-f0-9-]+$`;
const count = (minimum: number, maximum?: number): object => ({
  type: 'integer',
  minimum,
  ...(maximum === undefined ? {} : { maximum }),
});
const closed = (properties: object, optional: readonly string[] = []): object => ({
  type: 'object',
  properties,
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
  additionalProperties: false,
});

/** JSON Schema of how the account page signs in. */
const CLIENT = closed(
  {
    id: text,
    scopes: text,
    resource: text,
    token: { enum: ['access', 'id'] },
    signOut: { enum: ['post', 'get'] },
    origins: list,
  },
  ['scopes', 'resource', 'token', 'signOut', 'origins'],
);

/** JSON Schema of the parameters. */
const SCHEMA = closed(
  {
    account: { type: 'string', pattern: '^\\d{12}$' },
    region: { type: 'string', pattern: REGION },
    name: { type: 'string', pattern: '^[a-z][a-z0-9-]{0,19}$' },
    protected: { type: 'boolean' },
    zones: { type: 'array', items: { type: 'string' }, uniqueItems: true, minItems: 2, maxItems: 3 },
    buckets: closed({ published: bucket, accounts: bucket, logs: bucket }),
    baseImage: { type: 'string', pattern: '^[^\\s@]+@sha256:[a-f0-9]{64}$' },
    input: closed(
      {
        bucket,
        prefix: { type: 'string', pattern: '^([A-Za-z0-9][A-Za-z0-9._=-]*/)*$' },
        existing: { type: 'boolean' },
      },
      ['existing'],
    ),
    collect: closed({ policy: text }),
    backfill: closed({ maxGigabytesPerQuery: { type: 'integer', minimum: 1 } }),
    host,
    certificateArn: { type: 'string', pattern: certificateOf('us-east-1') },
    gatewayHost: host,
    apiDomain: closed({ host, certificateArn: { type: 'string', pattern: certificateOf('[a-z0-9-]+') } }),
    throttle: count(1, 10_000), // the quota of an account
    firewall: {
      anyOf: [
        { const: false },
        closed({ perAddress: count(10), perKey: count(10) }, ['perAddress', 'perKey']), // 10 is the least that AWS accepts
      ],
    },
    linkSeconds: count(60, 3_000),
    budgetUsd: count(1),
    originSecretVersion: { type: 'string', pattern: '^[a-f0-9-]{32,64}$' },
    restarted: text,
    backup: closed({ region: { type: 'string', pattern: REGION }, bucket, accounts: bucket, logs: bucket }),
    alarmEmail: { type: 'string', pattern: '^[^@\\s]+@[^@\\s]+$' },
    keyMode: { enum: ['live', 'test'] },
    corsOrigins: list,
    dashboardOrigins: list,
    identity: closed({ jwks: text, issuer: text, audience: text, type: text, client: CLIENT }, [
      'type',
      'client',
    ]),
    userPool: closed({ domain: { type: 'string', pattern: '^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$' } }),
    signing: closed(
      {
        keys: { type: 'array', items: keyName, uniqueItems: true, minItems: 1, maxItems: 3 },
        use: keyName,
        trust: { type: 'string', pattern: ANCHOR.source },
        trail: { enum: ['create', 'existing'] },
      },
      ['use', 'trust'],
    ),
    selling: closed({ priceSingleChain: text, priceResearch: text, dashboardUrl: text }),
  },
  [
    'protected',
    'collect',
    'backfill',
    'apiDomain',
    'throttle',
    'firewall',
    'linkSeconds',
    'budgetUsd',
    'originSecretVersion',
    'restarted',
    'backup',
    'identity',
    'userPool',
    'signing',
    'selling',
  ],
);
