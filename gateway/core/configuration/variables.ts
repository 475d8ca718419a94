import { ENDPOINTS } from '../../../schemas/paths.js';
import { KEY_MODES } from '../access/api-key.js';
import { byForm, oneOf, wholeNumber, type Parser, isValid, splitList, type Parsed } from './parser.js';
import { parseStoreAddress } from './store-address.js';
import { parseBaseUrl, parseHostUrl, parseKeySetAddress, parseOrigins, parsePageUrl } from './web-address.js';

/** Characters of a scope (RFC 6749 §3.3). */
const SCOPE = '[!#-\\[\\]-~]+';

/** The variables of the account page, a part of `VARIABLES`. */
const SIGN_IN_VARIABLES = {
  CRD_OIDC_CLIENT_ID: {
    meaning:
      'id of the account page at the identity provider, a public client with PKCE; without it, nobody can sign in on that page',
    example: 'account-page',
    parse: byForm({ pattern: /^[ -~]{1,255}$/ }, 'the id of a client, printable ASCII'),
  },
  CRD_OIDC_SCOPES: {
    meaning: 'scopes that the account page requests, separated by blanks',
    default: 'openid',
    example: 'openid offline_access',
    parse: byForm(
      { pattern: new RegExp(`^(${SCOPE} )*openid( ${SCOPE})*$`, 'u'), maxLength: 1024 },
      'scopes separated by single blanks, one of them openid',
    ),
  },
  CRD_OIDC_RESOURCE: {
    meaning:
      'resource that the account page requests tokens for (RFC 8707), for a provider that needs it to issue a JWT',
    example: 'https://data.example.com/',
    parse: byForm({ formats: ['uri'], pattern: /^[^#]+$/u }, 'an absolute URI without a fragment'),
  },
  CRD_OIDC_TOKEN: {
    meaning: "token that the account page sends as its session: the provider's access token or its ID token",
    default: 'access',
    example: 'id',
    parse: oneOf(['access', 'id']),
  },
  CRD_OIDC_SIGN_OUT: {
    meaning:
      'how the account page ends the session at the provider: post, with the ID token in a form (RP-Initiated Logout 1.0); get, without it, for a provider that takes no POST there',
    default: 'post',
    example: 'get',
    parse: oneOf(['post', 'get']),
  },
  CRD_OIDC_ORIGINS: {
    meaning:
      "origins, besides the issuer's, of the provider's token endpoint and of the pages that signing out leads over, separated by commas; the account page sends requests and forms to no others",
    example: 'https://login.example.com',
    parse: parseOrigins,
  },
} as const;

const MIN_SECRET_BYTES = 32;

/** Parses one secret or, during a rotation, two. */
function parseSecrets(text: string): Parsed<readonly string[]> {
  const value = splitList(text, /[,\n]/);
  if (value.length <= 2 && value.every((secret) => Buffer.byteLength(secret) >= MIN_SECRET_BYTES)) {
    return { value };
  }
  return {
    expected: `one secret of at least ${MIN_SECRET_BYTES} bytes, or two, separated by a comma or a new line`,
  };
}

/** Parses one webhook secret or, during a rotation, two. */
function parseWebhookSecrets(text: string): Parsed<readonly string[]> {
  const value = splitList(text, /[,\n]/);
  const isGood = value.length <= 2 && value.every((secret) => /^whsec_[0-9A-Za-z+/=_]{16,250}$/.test(secret));
  return isGood
    ? { value }
    : { expected: 'one secret that begins with whsec_, or two, separated by a comma or a new line' };
}

/** Parses the price ids of a plan. */
function parsePrices(text: string): Parsed<readonly string[]> {
  const value = splitList(text, ',');
  const isGood =
    new Set(value).size === value.length && value.every((price) => /^price_[0-9A-Za-z]{1,250}$/.test(price));
  return isGood
    ? { value }
    : { expected: 'different price ids, each beginning with price_, separated by commas' };
}

/** Parses the trusted proxies: a number of hops, or a list of addresses. */
function parseProxies(text: string): Parsed<number | readonly string[]> {
  const expected = 'a number of hops from 1 to 9, or IP addresses and CIDR ranges, separated by commas';
  if (text === 'true') {
    return { expected: `${expected}; not true, which would let every caller choose its own address` };
  }
  if (/^[1-9]$/.test(text)) return { value: Number(text) };
  const value = splitList(text, ',');
  return value.every(isRange) ? { value } : { expected };
}

const RANGES = [
  { address: byForm({ formats: ['ipv4'] }, 'an IPv4 address'), bits: wholeNumber(1, 32) },
  { address: byForm({ formats: ['ipv6'] }, 'an IPv6 address'), bits: wholeNumber(1, 128) },
];

function isRange(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/');
  const range = RANGES.find((each) => isValid(each.address, address));
  return range !== undefined && rest.length === 0 && (bits === undefined || isValid(range.bits, bits));
}

/** A variable of the environment. */
type Variable<T = unknown> = {
  readonly meaning: string;
  /** The text that is used when the variable is unset. */
  readonly default?: string;
  readonly isRequired?: true;
  /** A secret can also be read from the file that `<NAME>_FILE` names, and is never logged. */
  readonly isSecret?: true;
  readonly example: string;
  readonly parse: Parser<T>;
};

const host = byForm({ formats: ['ipv4', 'ipv6', 'hostname'] }, 'an IP address or a host name');
const printable = byForm(
  { pattern: /^[^\p{C}\p{Z}]([^\p{C}\p{Zl}\p{Zp}]*[^\p{C}\p{Z}])?$/u, maxLength: 1024 },
  'a line of printable text without leading or trailing blanks',
);

/** Every variable that configures the gateway. The README's list is generated from this table. */
export const VARIABLES = {
  CRD_HOST: {
    meaning: 'address to listen on',
    default: '127.0.0.1',
    example: '0.0.0.0',
    parse: host,
  },
  CRD_PORT: {
    meaning: 'port to listen on; 0 for any free port',
    default: '8080',
    example: '8080',
    parse: wholeNumber(0, 65_535),
  },
  CRD_METRICS_HOST: {
    meaning: `address of the operator's port, with ${ENDPOINTS.metrics}, health and ${ENDPOINTS.freshness}`,
    default: '127.0.0.1',
    example: '127.0.0.1',
    parse: host,
  },
  CRD_METRICS_PORT: {
    meaning: "the operator's port; 0 for any free port",
    default: '9090',
    example: '9090',
    parse: wholeNumber(0, 65_535),
  },
  CRD_STORE: {
    meaning: 'where the releases are: file:PATH or s3://bucket/prefix',
    isRequired: true,
    example: 's3://my-releases/data',
    parse: parseStoreAddress,
  },
  CRD_ACCOUNTS_STORE: {
    meaning:
      'where accounts and keys are, an address of the same form; neither store may be inside the other',
    isRequired: true,
    example: 's3://my-accounts',
    parse: parseStoreAddress,
  },
  CRD_S3_ENDPOINT: {
    meaning: 'endpoint of an S3 server other than Amazon, for s3:// addresses without one',
    example: 'http://127.0.0.1:4566',
    parse: parseBaseUrl,
  },
  CRD_S3_PATH_STYLE: {
    meaning: 'whether the bucket is part of the path instead of the host, for s3:// addresses',
    default: 'false',
    example: 'true',
    parse: oneOf(['true', 'false']),
  },
  CRD_PUBLIC_BASE_URL: {
    meaning:
      'base URL of public files, required with an S3 store; base URL of links with a directory store, by default the address listened on',
    example: 'https://data.example.com',
    parse: parseHostUrl,
  },
  CRD_PUBLIC_FILES: {
    meaning:
      'how public files of an S3 store are answered: redirect to CRD_PUBLIC_BASE_URL, or serve them, for a gateway behind the CDN of that address; a request whose host is that address is served in any case',
    default: 'redirect',
    example: 'serve',
    parse: oneOf(['redirect', 'serve']),
  },
  CRD_SIGNER_ROLE: {
    meaning:
      'ARN of a role that the gateway assumes to sign URLs of an S3 store; without it, the gateway signs with its own credentials',
    example: 'arn:aws:iam::123456789012:role/signer',
    parse: byForm(
      { pattern: /^arn:aws[a-z-]*:iam::\d{12}:role\/[A-Za-z0-9+=,.@_/-]{1,512}$/ },
      'the ARN of a role, arn:aws:iam::<account>:role/<name>',
    ),
  },
  CRD_URL_TTL_SECONDS: {
    meaning:
      'how many seconds a signed URL or link is valid, 60 to 43200; URLs that the credentials of a role sign end with its session, that of CRD_SIGNER_ROLE after an hour at most',
    default: '300',
    example: '3000',
    parse: wholeNumber(60, 43_200),
  },
  CRD_POLL_SECONDS: {
    meaning: 'seconds between two polls for a new release, 1 to 300',
    default: '15',
    example: '15',
    parse: wholeNumber(1, 300),
  },
  CRD_LINK_SECRET: {
    meaning:
      'secret that signs links, at least 32 bytes, required with a directory store; during a rotation two, separated by a comma or a new line, the new one first; CRD_LINK_SECRET_FILE can name a file instead',
    isSecret: true,
    example: '$(openssl rand -hex 32)',
    parse: parseSecrets,
  },
  CRD_JWKS: {
    meaning:
      'keys of the identity provider, https:// or file:PATH; without it there are no dashboard sessions',
    example: 'https://login.example.com/.well-known/jwks.json',
    parse: parseKeySetAddress,
  },
  CRD_JWT_ISSUER: {
    meaning: 'issuer that session tokens must name, required with CRD_JWKS',
    example: 'https://login.example.com/',
    parse: printable,
  },
  CRD_JWT_AUDIENCE: {
    meaning: 'audience that session tokens must name, required with CRD_JWKS',
    example: 'chain-reference-data',
    parse: printable,
  },
  CRD_JWT_TYPE: {
    meaning: 'type (typ) that session tokens must have; without it, the type JWT or none',
    example: 'at+jwt',
    parse: byForm(
      { pattern: /^(application\/)?[A-Za-z0-9][A-Za-z0-9!#$&^_.+-]{0,126}$/ },
      'the type of a token, such as at+jwt',
    ),
  },
  ...SIGN_IN_VARIABLES,
  CRD_KEY_MODE: {
    meaning: 'which API keys are created and accepted: live or test',
    default: 'live',
    example: 'test',
    parse: oneOf(KEY_MODES),
  },
  CRD_STRIPE_SECRET_KEY: {
    meaning:
      "key of Stripe's API, in the mode of CRD_KEY_MODE; without it nothing is sold; CRD_STRIPE_SECRET_KEY_FILE can name a file instead",
    isSecret: true,
    example: 'sk_test_...',
    parse: byForm(
      { pattern: /^(sk|rk)_(test|live)_[0-9A-Za-z_]{8,250}$/ },
      'a secret or restricted key of Stripe',
    ),
  },
  CRD_STRIPE_WEBHOOK_SECRET: {
    meaning:
      'secret of the webhook at Stripe, required with CRD_STRIPE_SECRET_KEY; during a rotation two, separated by a comma or a new line; CRD_STRIPE_WEBHOOK_SECRET_FILE can name a file instead',
    isSecret: true,
    example: 'whsec_...',
    parse: parseWebhookSecrets,
  },
  CRD_STRIPE_PRICE_SINGLE_CHAIN: {
    meaning:
      'price ids of the plan Single Chain at Stripe, separated by commas, required with CRD_STRIPE_SECRET_KEY: the first is sold, and subscriptions with the others continue',
    example: 'price_1Example',
    parse: parsePrices,
  },
  CRD_STRIPE_PRICE_RESEARCH: {
    meaning: 'price ids of the plan Research, likewise',
    example: 'price_2Example, price_1OlderOne',
    parse: parsePrices,
  },
  CRD_DASHBOARD_URL: {
    meaning: 'page to which a checkout and the portal return, required with CRD_STRIPE_SECRET_KEY',
    example: 'https://dashboard.example.com/billing',
    parse: parsePageUrl,
  },
  CRD_ORIGIN_SECRET: {
    meaning:
      'secret of at least 32 bytes that the proxy in front sends in the header X-Origin-Secret: other requests are refused, except health checks; during a rotation two, separated by a comma or a new line; CRD_ORIGIN_SECRET_FILE can name a file instead',
    isSecret: true,
    example: '$(openssl rand -hex 32)',
    parse: parseSecrets,
  },
  CRD_TRUST_PROXY: {
    meaning:
      "proxies that are trusted to report the caller's address and the host: their number, or their addresses",
    example: '10.0.0.0/8, 192.168.1.7',
    parse: parseProxies,
  },
  CRD_CORS_ORIGINS: {
    meaning: 'origins of web pages that can read subscriber files, separated by commas',
    example: 'https://notebook.example.com',
    parse: parseOrigins,
  },
  CRD_DASHBOARD_ORIGINS: {
    meaning: 'origins of web pages that can manage keys and subscriptions, separated by commas',
    example: 'https://dashboard.example.com, http://localhost:3000',
    parse: parseOrigins,
  },
  CRD_RATE_KEY_PER_MINUTE: {
    meaning:
      'requests per minute that this process accepts from a key or session; five times as many from all keys of an account together, and with links from an address',
    default: '600',
    example: '600',
    parse: wholeNumber(1, 1_000_000),
  },
  CRD_RATE_ADDRESS_PER_MINUTE: {
    meaning:
      'requests per minute without a key that this process accepts from an address; and, counted apart, as many failed keys, sessions and signatures together',
    default: '300',
    example: '300',
    parse: wholeNumber(1, 1_000_000),
  },
  CRD_LOG_LEVEL: {
    meaning: 'minimum level of log lines: trace, debug, info, warn, error, fatal or silent',
    default: 'info',
    example: 'warn',
    parse: oneOf(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']),
  },
} as const satisfies Record<`CRD_${string}`, Variable>;

export type VariableName = keyof typeof VARIABLES;

/** The names in the order of the table. */
export const VARIABLE_NAMES = Object.keys(VARIABLES) as readonly VariableName[]; // Object.keys loses the key type

/** Returns a variable as the general type. */
export function variableOf(name: VariableName): Variable {
  return VARIABLES[name];
}

/** Returns the name, default and meaning of each variable, for the README's list. */
export function variableRows(): string[][] {
  return VARIABLE_NAMES.map((name) => {
    const { default: text, isRequired = false, isSecret = false, meaning, example } = variableOf(name);
    const meaningCell = text === undefined && !isSecret ? `${meaning}; for example ${example}` : meaning;
    return [name, text ?? (isRequired ? 'required' : 'none'), meaningCell];
  });
}
