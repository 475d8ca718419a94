import { ANCHOR } from '../../../schemas/trust/trust-anchor.js';

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
  { id: text, scopes: text, resource: text, token: { enum: ['access', 'id'] }, origins: list },
  ['scopes', 'resource', 'token', 'origins'],
);

/** JSON Schema of the parameters. */
export const SCHEMA = closed(
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
    ...[
      'protected',
      'collect',
      'backfill',
      'apiDomain',
      'throttle',
      'firewall',
      'budgetUsd',
      'originSecretVersion',
    ],
    ...['restarted', 'backup', 'identity', 'userPool', 'signing', 'selling'],
  ],
);
