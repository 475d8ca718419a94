import { readFileSync } from 'node:fs';
import { Ajv } from 'ajv';

/** What an operator says of a deployment: every choice that is not ours. */
export type Parameters = {
  /** Of the account that everything is in, and the region of buckets and programs. CloudFront is everywhere. */
  readonly account: string;
  readonly region: string;
  /** Beginning of the names of stacks, roles and functions: two deployments may share an account. */
  readonly name: string;
  readonly buckets: { readonly published: string; readonly accounts: string; readonly logs: string };
  /** Where the metrics arrive each day; its prefix ends with a slash, or is empty. */
  readonly input: { readonly bucket: string; readonly prefix: string };
  /** Host that readers ask, and its certificate, which CloudFront wants in us-east-1. */
  readonly host: string;
  readonly certificateArn: string;
  /** Host of the gateway behind CloudFront: first the output `GatewayHost` of the service, later any other's. */
  readonly gatewayHost: string;
  /** Version of the secret that CloudFront sends; absent: the newest when it was first deployed. */
  readonly originSecretVersion?: string;
  /** Version of the gateway's function that answers; absent: the newest. */
  readonly liveVersion?: string;
  /** Any text: another one starts the gateway anew, with the secrets as they are then. */
  readonly restarted?: string;
  /** Bucket that the store of releases is copied to each day, and its region; without it there is no copy. */
  readonly backup?: { readonly bucket: string; readonly region: string };
  /** Who is told of alarms. */
  readonly alarmEmail: string;
  /** Which API keys are made and taken. */
  readonly keyMode: 'live' | 'test';
  readonly corsOrigins: readonly string[];
  readonly dashboardOrigins: readonly string[];
  /** Whose dashboard sessions are taken; without it keys and subscriptions cannot be managed by web. */
  readonly identity?: { readonly jwks: string; readonly issuer: string; readonly audience: string };
  /** How things are sold at Stripe; without it they are not. */
  readonly selling?: {
    readonly priceSingleChain: string;
    readonly priceResearch: string;
    readonly dashboardUrl: string;
  };
};

const REGION = '^[a-z]{2}(-[a-z]+)+-\\d$';
const text = { type: 'string', minLength: 1 };
const list = { type: 'array', items: text, uniqueItems: true };
const bucket = { type: 'string', pattern: '^[a-z0-9][a-z0-9-]{1,61}[a-z0-9]$' }; // a dot breaks TLS
const host = { type: 'string', pattern: '^[a-z0-9-]+(\\.[a-z0-9-]+)+$' };
const closed = (properties: object, optional: readonly string[] = []): object => ({
  type: 'object',
  properties,
  required: Object.keys(properties).filter((name) => !optional.includes(name)),
  additionalProperties: false,
});

/** The form of the parameters, as JSON Schema. */
export const PARAMETERS_SCHEMA = closed(
  {
    account: { type: 'string', pattern: '^\\d{12}$' },
    region: { type: 'string', pattern: REGION },
    name: { type: 'string', pattern: '^[a-z][a-z0-9-]{0,19}$' },
    buckets: closed({ published: bucket, accounts: bucket, logs: bucket }),
    input: closed({ bucket, prefix: { type: 'string', pattern: '^([A-Za-z0-9][A-Za-z0-9._=-]*/)*$' } }),
    host,
    certificateArn: { type: 'string', pattern: '^arn:aws:acm:us-east-1:\\d{12}:certificate/[a-f0-9-]+$' },
    gatewayHost: host,
    originSecretVersion: { type: 'string', pattern: '^[a-f0-9-]{32,64}$' },
    liveVersion: { type: 'string', pattern: '^[1-9]\\d*$' },
    restarted: text,
    backup: closed({ bucket, region: { type: 'string', pattern: REGION } }),
    alarmEmail: { type: 'string', pattern: '^[^@\\s]+@[^@\\s]+$' },
    keyMode: { enum: ['live', 'test'] },
    corsOrigins: list,
    dashboardOrigins: list,
    identity: closed({ jwks: text, issuer: text, audience: text }),
    selling: closed({ priceSingleChain: text, priceResearch: text, dashboardUrl: text }),
  },
  ['originSecretVersion', 'liveVersion', 'restarted', 'backup', 'identity', 'selling'],
);

/** Judges parameters. @throws Error that lists every fault by its path. */
export function toParameters(value: unknown): Parameters {
  const judge = new Ajv({ allErrors: true }).compile<Parameters>(PARAMETERS_SCHEMA);
  if (judge(value)) return withDistinctBuckets(value);
  const faults = (judge.errors ?? []).map(({ instancePath, message = '', params }) => {
    const { additionalProperty: name } = params as { additionalProperty?: string };
    return `  ${instancePath || '/'} ${message}${name === undefined ? '' : `: ${name}`}`;
  });
  throw new Error(`the parameters have faults:\n${faults.join('\n')}`);
}

function withDistinctBuckets(parameters: Parameters): Parameters {
  const { buckets, input, backup } = parameters;
  const names = [...Object.values(buckets), input.bucket, ...(backup === undefined ? [] : [backup.bucket])];
  if (new Set(names).size === names.length) return parameters;
  throw new Error('the parameters have faults:\n  /buckets, /input and /backup must be different buckets');
}

/** Reads the parameters of a file. @throws Error that says what is wrong with it. */
export function readParameters(file: string | undefined): Parameters {
  if (file === undefined) {
    throw new Error('say which deployment it is: -c parameters=FILE, a file like parameters.example.json');
  }
  return toParameters(JSON.parse(readFileSync(file, 'utf8')));
}
