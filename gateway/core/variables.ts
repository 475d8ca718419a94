import { KEY_MODES } from './api-key.js';
import { bySchema, oneOf, wholeNumber, type Judge } from './judge.js';
import { parseStoreAddress } from './store-address.js';
import { parsePrices, parseProxies, parseSecrets, parseWebhookSecrets } from './variable-judges.js';
import { parseBaseUrl, parseHostUrl, parseKeySetAddress, parseOrigins, parsePageUrl } from './web-address.js';

/** What is said of a variable of the environment everywhere. */
export type Variable<T = unknown> = {
  readonly meaning: string;
  /** The text that an absent variable means. */
  readonly default?: string;
  readonly isRequired?: true;
  /** Whether the text may also come from a file, which the variable `<NAME>_FILE` names; it never stands in a log. */
  readonly isSecret?: true;
  readonly example: string;
  readonly judge: Judge<T>;
};

const host = bySchema(
  { anyOf: [{ format: 'ipv4' }, { format: 'ipv6' }, { format: 'hostname' }] },
  'an IP address or the name of a host',
);
const printable = bySchema(
  { pattern: '^[^\\p{C}\\p{Z}]([^\\p{C}\\p{Zl}\\p{Zp}]*[^\\p{C}\\p{Z}])?$', maxLength: 1024 },
  'a line of printable text without blanks at its ends',
);

/** Every variable that configures the gateway. The README's table is tested against this one. */
export const VARIABLES = {
  CRD_HOST: {
    meaning: 'address to listen on',
    default: '127.0.0.1',
    example: '0.0.0.0',
    judge: host,
  },
  CRD_PORT: {
    meaning: 'port to listen on; 0 for any free one',
    default: '8080',
    example: '8080',
    judge: wholeNumber(0, 65_535),
  },
  CRD_METRICS_HOST: {
    meaning: "address of the operator's port, with /metrics, /healthz and /readyz",
    default: '127.0.0.1',
    example: '127.0.0.1',
    judge: host,
  },
  CRD_METRICS_PORT: {
    meaning: "the operator's port; 0 for any free one",
    default: '9090',
    example: '9090',
    judge: wholeNumber(0, 65_535),
  },
  CRD_STORE: {
    meaning: 'where the releases live: file:PATH or s3://bucket/prefix',
    isRequired: true,
    example: 's3://my-releases/data',
    judge: parseStoreAddress,
  },
  CRD_ACCOUNTS_STORE: {
    meaning:
      'where accounts and keys live, an address of the same form; neither store may lie inside the other',
    isRequired: true,
    example: 's3://my-accounts',
    judge: parseStoreAddress,
  },
  CRD_S3_ENDPOINT: {
    meaning: 'another S3 server than Amazon, for s3:// addresses that name none',
    example: 'http://127.0.0.1:4566',
    judge: parseBaseUrl,
  },
  CRD_S3_PATH_STYLE: {
    meaning: 'whether the bucket is named in the path, not in the host, for s3:// addresses',
    default: 'false',
    example: 'true',
    judge: oneOf(['true', 'false']),
  },
  CRD_PUBLIC_BASE_URL: {
    meaning:
      'what readers put before a path: of public files, needed with an S3 store; of directory links, the address listened on without it',
    example: 'https://data.example.com',
    judge: parseHostUrl,
  },
  CRD_PUBLIC_FILES: {
    meaning:
      'public files of an S3 store: redirect to CRD_PUBLIC_BASE_URL, or serve them, for a gateway that the CDN at that address asks for what it does not find',
    default: 'redirect',
    example: 'serve',
    judge: oneOf(['redirect', 'serve']),
  },
  CRD_SIGNER_ROLE: {
    meaning:
      'ARN of the role whose credentials sign URLs of an S3 store, which the gateway may assume; without it its own do',
    example: 'arn:aws:iam::123456789012:role/signer',
    judge: bySchema(
      { pattern: '^arn:aws[a-z-]*:iam::\\d{12}:role/[A-Za-z0-9+=,.@_/-]{1,512}$' },
      'the ARN of a role, arn:aws:iam::<account>:role/<name>',
    ),
  },
  CRD_URL_TTL_SECONDS: {
    meaning: 'how long a signed URL or link is valid, 60 to 3600',
    default: '300',
    example: '300',
    judge: wholeNumber(60, 3600),
  },
  CRD_POLL_SECONDS: {
    meaning: 'time between two looks for a new release, 1 to 300',
    default: '15',
    example: '15',
    judge: wholeNumber(1, 300),
  },
  CRD_LINK_SECRET: {
    meaning:
      'secret of directory links, at least 32 bytes, needed with a directory store; during a rotation two, separated by a comma or a new line, the new one first; CRD_LINK_SECRET_FILE may name a file instead',
    isSecret: true,
    example: '$(openssl rand -hex 32)',
    judge: parseSecrets,
  },
  CRD_JWKS: {
    meaning:
      'keys of the identity provider, https:// or file:PATH; without it there are no dashboard sessions',
    example: 'https://login.example.com/.well-known/jwks.json',
    judge: parseKeySetAddress,
  },
  CRD_JWT_ISSUER: {
    meaning: 'issuer that session tokens must name, needed with CRD_JWKS',
    example: 'https://login.example.com/',
    judge: printable,
  },
  CRD_JWT_AUDIENCE: {
    meaning: 'audience that session tokens must name, needed with CRD_JWKS',
    example: 'chain-reference-data',
    judge: printable,
  },
  CRD_KEY_MODE: {
    meaning: 'which API keys are made and taken: live or test',
    default: 'live',
    example: 'test',
    judge: oneOf(KEY_MODES),
  },
  CRD_STRIPE_SECRET_KEY: {
    meaning:
      "key of Stripe's API, of the mode of CRD_KEY_MODE; without it nothing is sold; CRD_STRIPE_SECRET_KEY_FILE may name a file instead",
    isSecret: true,
    example: 'sk_test_...',
    judge: bySchema(
      { pattern: '^(sk|rk)_(test|live)_[0-9A-Za-z_]{8,250}$' },
      'a secret or restricted key of Stripe',
    ),
  },
  CRD_STRIPE_WEBHOOK_SECRET: {
    meaning:
      'secret of the webhook at Stripe, needed with CRD_STRIPE_SECRET_KEY; during a rotation two, separated by a comma or a new line; CRD_STRIPE_WEBHOOK_SECRET_FILE may name a file instead',
    isSecret: true,
    example: 'whsec_...',
    judge: parseWebhookSecrets,
  },
  CRD_STRIPE_PRICE_SINGLE_CHAIN: {
    meaning:
      'prices of the plan Single Chain at Stripe, separated by commas, needed with CRD_STRIPE_SECRET_KEY: the first is sold, and subscriptions of the others go on',
    example: 'price_1Example',
    judge: parsePrices,
  },
  CRD_STRIPE_PRICE_RESEARCH: {
    meaning: 'the same of the plan Research',
    example: 'price_2Example, price_1OlderOne',
    judge: parsePrices,
  },
  CRD_DASHBOARD_URL: {
    meaning: 'page that a checkout and the portal lead back to, needed with CRD_STRIPE_SECRET_KEY',
    example: 'https://dashboard.example.com/billing',
    judge: parsePageUrl,
  },
  CRD_TRUST_PROXY: {
    meaning: "whose word on the caller's address is taken: a number of proxies, or their addresses",
    example: '10.0.0.0/8, 192.168.1.7',
    judge: parseProxies,
  },
  CRD_CORS_ORIGINS: {
    meaning: 'origins of web pages that may read subscriber files, separated by commas',
    example: 'https://notebook.example.com',
    judge: parseOrigins,
  },
  CRD_DASHBOARD_ORIGINS: {
    meaning: 'origins of web pages that may manage keys and subscriptions, separated by commas',
    example: 'https://dashboard.example.com, http://localhost:3000',
    judge: parseOrigins,
  },
  CRD_RATE_KEY_PER_MINUTE: {
    meaning: 'requests that a key may make in a minute, to this process',
    default: '600',
    example: '600',
    judge: wholeNumber(1, 1_000_000),
  },
  CRD_RATE_ADDRESS_PER_MINUTE: {
    meaning: 'requests that an address may make in a minute without a valid key, to this process',
    default: '120',
    example: '120',
    judge: wholeNumber(1, 1_000_000),
  },
  CRD_LOG_LEVEL: {
    meaning: 'least weight of what is logged: trace, debug, info, warn, error, fatal or silent',
    default: 'info',
    example: 'warn',
    judge: oneOf(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']),
  },
} as const satisfies Record<`CRD_${string}`, Variable>;

/** Name of a variable of the gateway. */
export type VariableName = keyof typeof VARIABLES;

/** Every name, in the order of the table. */
export const VARIABLE_NAMES = Object.keys(VARIABLES) as readonly VariableName[]; // keys of a closed literal

/** What is said of a variable, in one form for all. */
export function variableOf(name: VariableName): Variable {
  return VARIABLES[name];
}

/** The rows of the table `| variable | default | meaning |`. */
export function variableRows(): string[][] {
  return VARIABLE_NAMES.map((name) => {
    const { default: text, isRequired = false, isSecret = false, meaning, example } = variableOf(name);
    const shown = text === undefined && !isSecret ? `${meaning}; for example ${example}` : meaning;
    return [name, text ?? (isRequired ? 'required' : 'none'), shown];
  });
}
