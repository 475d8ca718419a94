import type { KeyMode } from '../access/api-key.js';
import {
  findBillingConflicts,
  toBillingSettings,
  type BillingSettings,
} from '../billing/billing-settings.js';
import {
  findSessionConflicts,
  toSessionSettings,
  toSignInSettings,
  type SessionSettings,
  type SignInSettings,
} from './session-settings.js';
import { overlap, type StoreAddress } from './store-address.js';
import { VARIABLE_NAMES, VARIABLES, variableOf, type VariableName } from './variables.js';

/** The environment variables of a process. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The configuration of the gateway. */
export type Configuration = {
  readonly host: string;
  readonly port: number;
  readonly metrics: { readonly host: string; readonly port: number };
  readonly store: StoreAddress;
  readonly accountsStore: StoreAddress;
  /** Defaults for S3 addresses. */
  readonly s3: { readonly endpoint?: string; readonly pathStyle: boolean };
  /** Without a trailing slash; always present with an S3 store. */
  readonly publicBaseUrl?: string;
  /** ARN of the role that signs URLs of an S3 store; by default the gateway signs with its own credentials. */
  readonly signerRole?: string;
  /** Serves public files of an S3 store instead of redirecting to the public address. */
  readonly servesPublicFiles?: boolean;
  readonly urlTtlSeconds: number;
  readonly pollSeconds: number;
  /** One or two with a directory store, none with S3. The first one signs, each is accepted. */
  readonly linkSecrets: readonly string[];
  /** The identity provider of dashboard sessions. Absent if there are no sessions. */
  readonly sessions?: SessionSettings;
  /** How the account page signs in. Absent if nobody can. */
  readonly signIn?: SignInSettings;
  /** Absent if nothing is sold. */
  readonly billing?: BillingSettings;
  readonly keyMode: KeyMode;
  /** Secrets of which the proxy in front must send one with each request; none if requests may come from anywhere. */
  readonly originSecrets: readonly string[];
  /** The value of Express's setting `trust proxy`: a number of hops, addresses, or false. */
  readonly trustProxy: number | readonly string[] | false;
  readonly corsOrigins: readonly string[];
  readonly dashboardOrigins: readonly string[];
  readonly limits: { readonly keyPerMinute: number; readonly addressPerMinute: number };
  readonly logLevel: Values['CRD_LOG_LEVEL'];
};

/** A configuration, or all of its faults, each as `<variable>: <what is wrong or expected>`. */
export type ParsedConfiguration =
  { readonly configuration: Configuration } | { readonly faults: readonly string[] };

type Table = typeof VARIABLES;
type ValueOf<N extends VariableName> = Extract<ReturnType<Table[N]['parse']>, { value: unknown }>['value'];
/** Variables that always have a value. */
type SetName = {
  [N in VariableName]: Table[N] extends { default: string } | { isRequired: true } ? N : never;
}[VariableName];
type Values = { readonly [N in SetName]: ValueOf<N> } & {
  readonly [N in Exclude<VariableName, SetName>]?: ValueOf<N>;
};

/** Variables of the tests and tools of this product, and of its Python client. */
const OTHER_VARIABLES =
  /^CRD_(TEST_.*|SEEDS|KILLS|KILL_SEED|RACES|EDITS|HISTORY_DIR|API_KEY|BASE_URL|CACHE_DIR|SIGNING_(KEY|KEY_FILE|TRUST))$/;

/**
 * Returns the configuration of an environment, or all of its faults. An empty variable counts as unset. An unknown
 * variable that begins with `CRD_` is a fault, because it is probably misspelt. A fault never repeats a secret.
 */
export function toConfiguration(env: Environment): ParsedConfiguration {
  const { values, faults } = parseVariables(env);
  faults.push(...findConflicts(values, (name) => Boolean(env[name])), ...findUnknownVariables(env));
  if (faults.length > 0) return { faults };
  return { configuration: compose(values as Values) }; // without faults, each variable that is required or has a default is set
}

function parseVariables(env: Environment): { values: Partial<Values>; faults: string[] } {
  const faults: string[] = [];
  const values: Partial<Record<VariableName, unknown>> = {};
  for (const name of VARIABLE_NAMES) {
    const variable = variableOf(name);
    const text = env[name] || variable.default;
    const parsed = text === undefined ? undefined : variable.parse(text);
    if (parsed === undefined && variable.isRequired) faults.push(`${name}: required${forExample(name)}`);
    if (parsed === undefined) continue;
    if ('value' in parsed) values[name] = parsed.value;
    else faults.push(`${name}: expected ${parsed.expected}`);
  }
  return { values: values as Partial<Values>, faults }; // each value comes from the parser of its own name
}

/** Returns a fault for each variable that begins with `CRD_` but does not exist: it is probably misspelt. */
export function findUnknownVariables(env: Environment): string[] {
  return Object.keys(env)
    .filter((name) => name.startsWith('CRD_') && env[name] !== undefined)
    .filter((name) => !isKnown(name) && !OTHER_VARIABLES.test(name))
    .map((name) => `${name}: unknown variable. Correct its name or unset it.`);
}

/** Returns whether there is a variable of this name, or a secret that a file with this variable can name. */
function isKnown(name: string): boolean {
  const secret = VARIABLE_NAMES.find((each) => `${each}_FILE` === name);
  return Object.hasOwn(VARIABLES, name) || (secret !== undefined && variableOf(secret).isSecret === true);
}

function forExample(name: VariableName): string {
  return `, for example ${variableOf(name).example}`;
}

type IsGiven = (name: VariableName) => boolean;

/** Returns the faults between variables. One without effect is a fault: its operator expects an effect. */
function findConflicts(values: Partial<Values>, isGiven: IsGiven): string[] {
  return [
    ...findStoreConflicts(values),
    ...findKindConflicts(values.CRD_STORE?.kind, isGiven),
    ...findSessionConflicts(values, isGiven, forExample),
    ...findPortConflicts(values),
    ...findLinkConflicts(values, isGiven),
    ...findBillingConflicts(values, isGiven, forExample),
  ];
}

function findStoreConflicts(values: Partial<Values>): string[] {
  const { CRD_STORE: store, CRD_ACCOUNTS_STORE: accounts, CRD_S3_ENDPOINT: endpoint } = values;
  if (store === undefined || accounts === undefined) return [];
  const faults: string[] = [];
  if (overlap(store, accounts, endpoint)) {
    faults.push(
      'CRD_ACCOUNTS_STORE: expected a different location than CRD_STORE, neither of them inside the other',
    );
  }
  if (endpoint !== undefined && store.kind !== 's3' && accounts.kind !== 's3') {
    faults.push('CRD_S3_ENDPOINT: has no effect because neither store is an s3:// address; unset it');
  }
  return faults;
}

function findKindConflicts(kind: StoreAddress['kind'] | undefined, isGiven: IsGiven): string[] {
  const required = kind === 'directory' ? 'CRD_LINK_SECRET' : 'CRD_PUBLIC_BASE_URL';
  const address = kind === 'directory' ? 'a directory' : 'an s3:// address';
  const faults: string[] = [];
  if (kind !== undefined && !isGiven(required)) {
    faults.push(`${required}: required when CRD_STORE is ${address}${forExample(required)}`);
  }
  if (kind === 'directory' && isGiven('CRD_SIGNER_ROLE')) {
    faults.push(
      'CRD_SIGNER_ROLE: has no effect because CRD_STORE is a directory, whose links CRD_LINK_SECRET signs; unset it',
    );
  }
  if (kind === 'directory' && isGiven('CRD_PUBLIC_FILES')) {
    faults.push(
      'CRD_PUBLIC_FILES: has no effect because CRD_STORE is a directory, whose public files are always served; unset it',
    );
  }
  if (kind === 's3' && isGiven('CRD_LINK_SECRET')) {
    faults.push(
      'CRD_LINK_SECRET: has no effect because CRD_STORE is an s3:// address, and S3 verifies its own URLs; unset it',
    );
  }
  return faults;
}

function findPortConflicts(values: Partial<Values>): string[] {
  const { CRD_HOST: host, CRD_METRICS_HOST: metricsHost, CRD_PORT: port } = values;
  const isSame = port === values.CRD_METRICS_PORT && port !== undefined && port !== 0;
  const overlaps = host === metricsHost || [host, metricsHost].some(isWildcard);
  return isSame && overlaps ? ['CRD_METRICS_PORT: expected a different port than CRD_PORT'] : [];
}

/** Returns a fault if links would contain a wildcard address, which leads each subscriber to its own machine. */
function findLinkConflicts(
  { CRD_STORE: store, CRD_HOST: host }: Partial<Values>,
  isGiven: IsGiven,
): string[] {
  if (store?.kind !== 'directory' || !isWildcard(host) || isGiven('CRD_PUBLIC_BASE_URL')) return [];
  return [
    `CRD_PUBLIC_BASE_URL: required when CRD_STORE is a directory and CRD_HOST is ${host ?? ''}, because links begin with it`,
  ];
}

function isWildcard(host: string | undefined): boolean {
  return host === '0.0.0.0' || host === '::';
}

/** Returns the secrets, which must not be shown or logged. */
export function secretsOf({ linkSecrets, originSecrets, billing }: Configuration): string[] {
  return [
    ...linkSecrets,
    ...originSecrets,
    ...(billing === undefined ? [] : [billing.secretKey, ...billing.webhookSecrets]),
  ];
}

function compose(values: Values): Configuration {
  const {
    CRD_S3_ENDPOINT: endpoint,
    CRD_PUBLIC_BASE_URL: publicBaseUrl,
    CRD_SIGNER_ROLE: signerRole,
  } = values;
  const billing = toBillingSettings(values);
  const sessions = toSessionSettings(values);
  const signIn = toSignInSettings(values);
  return {
    host: values.CRD_HOST,
    port: values.CRD_PORT,
    metrics: { host: values.CRD_METRICS_HOST, port: values.CRD_METRICS_PORT },
    store: values.CRD_STORE,
    accountsStore: values.CRD_ACCOUNTS_STORE,
    s3: { ...(endpoint === undefined ? {} : { endpoint }), pathStyle: values.CRD_S3_PATH_STYLE === 'true' },
    ...(publicBaseUrl === undefined ? {} : { publicBaseUrl }),
    ...(signerRole === undefined ? {} : { signerRole }),
    ...(values.CRD_PUBLIC_FILES === 'serve' ? { servesPublicFiles: true } : {}),
    urlTtlSeconds: values.CRD_URL_TTL_SECONDS,
    pollSeconds: values.CRD_POLL_SECONDS,
    linkSecrets: values.CRD_LINK_SECRET ?? [],
    ...(sessions === undefined ? {} : { sessions }),
    ...(signIn === undefined ? {} : { signIn }),
    ...(billing === undefined ? {} : { billing }),
    keyMode: values.CRD_KEY_MODE,
    originSecrets: values.CRD_ORIGIN_SECRET ?? [],
    trustProxy: values.CRD_TRUST_PROXY ?? false,
    corsOrigins: values.CRD_CORS_ORIGINS ?? [],
    dashboardOrigins: values.CRD_DASHBOARD_ORIGINS ?? [],
    limits: {
      keyPerMinute: values.CRD_RATE_KEY_PER_MINUTE,
      addressPerMinute: values.CRD_RATE_ADDRESS_PER_MINUTE,
    },
    logLevel: values.CRD_LOG_LEVEL,
  };
}
