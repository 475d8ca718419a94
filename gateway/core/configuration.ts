import type { KeyMode } from './api-key.js';
import { findBillingConflicts, toBillingSettings, type BillingSettings } from './billing/billing-settings.js';
import { isOverlap, type StoreAddress } from './store-address.js';
import { VARIABLE_NAMES, VARIABLES, variableOf, type VariableName } from './variables.js';
import type { KeySetAddress } from './web-address.js';

/** The variables of a process. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** How the gateway shall work. */
export type Configuration = {
  readonly host: string;
  readonly port: number;
  readonly metrics: { readonly host: string; readonly port: number };
  readonly store: StoreAddress;
  readonly accountsStore: StoreAddress;
  /** What an S3 address means where it does not say it itself. */
  readonly s3: { readonly endpoint?: string; readonly pathStyle: boolean };
  /** Without its closing slash; always there with an S3 store. */
  readonly publicBaseUrl?: string;
  /** ARN of the role that signs URLs of an S3 store; absent: the gateway's own credentials do. */
  readonly signerRole?: string;
  /** Whether public files of an S3 store are served, not redirected to the public address. */
  readonly servesPublicFiles?: boolean;
  readonly urlTtlSeconds: number;
  readonly pollSeconds: number;
  /** One or two with a directory store, none with S3; the first one signs. */
  readonly linkSecrets: readonly string[];
  /** Whose dashboard sessions are taken; absent: nobody's. */
  readonly sessions?: { readonly jwks: KeySetAddress; readonly issuer: string; readonly audience: string };
  /** How things are sold; absent: they are not. */
  readonly billing?: BillingSettings;
  readonly keyMode: KeyMode;
  /** As Express takes it: a number of hops, addresses, or false. */
  readonly trustProxy: number | readonly string[] | false;
  readonly corsOrigins: readonly string[];
  readonly dashboardOrigins: readonly string[];
  readonly limits: { readonly keyPerMinute: number; readonly addressPerMinute: number };
  readonly logLevel: Values['CRD_LOG_LEVEL'];
};

/** A configuration, or everything that is wrong with it: the variable's name, a colon, and what is expected. */
export type JudgedConfiguration =
  { readonly configuration: Configuration } | { readonly faults: readonly string[] };

type Table = typeof VARIABLES;
type ValueOf<N extends VariableName> = Extract<ReturnType<Table[N]['judge']>, { value: unknown }>['value'];
type SureName = {
  [N in VariableName]: Table[N] extends { default: string } | { isRequired: true } ? N : never;
}[VariableName];
type Values = { readonly [N in SureName]: ValueOf<N> } & {
  readonly [N in Exclude<VariableName, SureName>]?: ValueOf<N>;
};

/** What the tests and tools of this product are told by. */
const OTHERS = /^CRD_(TEST_.*|SEEDS|KILLS|KILL_SEED|RACES|RACE_SEED|HISTORY_DIR)$/;

/**
 * The configuration that an environment gives. An empty variable counts as none; one that begins with `CRD_` and is not
 * ours is a fault, for it is a mistyped one. A fault names its variable and never repeats the value.
 */
export function toConfiguration(env: Environment): JudgedConfiguration {
  const { values, faults } = judgeVariables(env);
  faults.push(...findConflicts(values, (name) => Boolean(env[name])), ...findStrangers(env));
  if (faults.length > 0) return { faults };
  return { configuration: compose(values as Values) }; // no fault: what is required is there, and the rest has a default
}

function judgeVariables(env: Environment): { values: Partial<Values>; faults: string[] } {
  const faults: string[] = [];
  const values: Partial<Record<VariableName, unknown>> = {};
  for (const name of VARIABLE_NAMES) {
    const variable = variableOf(name);
    const text = env[name] || variable.default;
    const judged = text === undefined ? undefined : variable.judge(text);
    if (judged === undefined && variable.isRequired) faults.push(`${name}: required${forExample(name)}`);
    if (judged === undefined) continue;
    if ('value' in judged) values[name] = judged.value;
    else faults.push(`${name}: expected ${judged.fault}`);
  }
  return { values: values as Partial<Values>, faults }; // each value comes from the judge of its own name
}

/** The faults of variables that look like ours and are not: somebody has misspelt one. */
export function findStrangers(env: Environment): string[] {
  return Object.keys(env)
    .filter((name) => name.startsWith('CRD_') && env[name] !== undefined)
    .filter((name) => !Object.hasOwn(VARIABLES, name) && !OTHERS.test(name))
    .map((name) => `${name}: the gateway has no such variable`);
}

function forExample(name: VariableName): string {
  return `, for example ${variableOf(name).example}`;
}

type IsGiven = (name: VariableName) => boolean;

/** What is wrong between variables. One that would have no effect is a fault: somebody counts on it. */
function findConflicts(values: Partial<Values>, isGiven: IsGiven): string[] {
  return [
    ...findStoreConflicts(values),
    ...findKindConflicts(values.CRD_STORE?.kind, isGiven),
    ...findSessionConflicts(isGiven),
    ...findPortConflicts(values),
    ...findLinkConflicts(values, isGiven),
    ...findBillingConflicts(values, isGiven, forExample),
  ];
}

function findStoreConflicts(values: Partial<Values>): string[] {
  const { CRD_STORE: store, CRD_ACCOUNTS_STORE: accounts, CRD_S3_ENDPOINT: endpoint } = values;
  if (store === undefined || accounts === undefined) return [];
  const faults: string[] = [];
  if (isOverlap(store, accounts, endpoint)) {
    faults.push(
      'CRD_ACCOUNTS_STORE: expected another place than CRD_STORE, neither of them inside the other',
    );
  }
  if (endpoint !== undefined && store.kind !== 's3' && accounts.kind !== 's3') {
    faults.push('CRD_S3_ENDPOINT: has no effect, for neither store is an s3:// address; unset it');
  }
  return faults;
}

function findKindConflicts(kind: StoreAddress['kind'] | undefined, isGiven: IsGiven): string[] {
  const name = kind === 'directory' ? 'CRD_LINK_SECRET' : 'CRD_PUBLIC_BASE_URL';
  const place = kind === 'directory' ? 'a directory' : 'an s3:// address';
  const faults: string[] = [];
  if (kind !== undefined && !isGiven(name)) {
    faults.push(`${name}: required when CRD_STORE is ${place}${forExample(name)}`);
  }
  if (kind === 'directory' && isGiven('CRD_SIGNER_ROLE')) {
    faults.push(
      'CRD_SIGNER_ROLE: has no effect, for CRD_STORE is a directory and its links are signed by CRD_LINK_SECRET; unset it',
    );
  }
  if (kind === 'directory' && isGiven('CRD_PUBLIC_FILES')) {
    faults.push(
      'CRD_PUBLIC_FILES: has no effect, for CRD_STORE is a directory and its public files are served; unset it',
    );
  }
  if (kind === 's3' && isGiven('CRD_LINK_SECRET')) {
    faults.push(
      'CRD_LINK_SECRET: has no effect, for CRD_STORE is an s3:// address and S3 checks its own URLs; unset it',
    );
  }
  return faults;
}

function findSessionConflicts(isGiven: IsGiven): string[] {
  const hasProvider = isGiven('CRD_JWKS');
  return (['CRD_JWT_ISSUER', 'CRD_JWT_AUDIENCE'] as const).flatMap((name) => {
    if (isGiven(name) === hasProvider) return [];
    return hasProvider
      ? `${name}: required with CRD_JWKS${forExample(name)}`
      : `${name}: has no effect without CRD_JWKS; set that too, or unset this`;
  });
}

function findPortConflicts(values: Partial<Values>): string[] {
  const { CRD_HOST: host, CRD_METRICS_HOST: metricsHost, CRD_PORT: port } = values;
  const isTaken = port === values.CRD_METRICS_PORT && port !== undefined && port !== 0;
  const meets = host === metricsHost || [host, metricsHost].some(isEverywhere);
  return isTaken && meets ? ['CRD_METRICS_PORT: expected another port than CRD_PORT'] : [];
}

/** Links that name an address that listens everywhere would lead each subscriber to its own machine. */
function findLinkConflicts(
  { CRD_STORE: store, CRD_HOST: host }: Partial<Values>,
  isGiven: IsGiven,
): string[] {
  if (store?.kind !== 'directory' || !isEverywhere(host) || isGiven('CRD_PUBLIC_BASE_URL')) return [];
  return [
    `CRD_PUBLIC_BASE_URL: required when CRD_STORE is a directory and CRD_HOST is ${host ?? ''}, for links begin with it`,
  ];
}

function isEverywhere(host: string | undefined): boolean {
  return host === '0.0.0.0' || host === '::';
}

/** What nobody may see. */
export function secretsOf({ linkSecrets, billing }: Configuration): string[] {
  return [...linkSecrets, ...(billing === undefined ? [] : [billing.secretKey, ...billing.webhookSecrets])];
}

function compose(values: Values): Configuration {
  const {
    CRD_S3_ENDPOINT: endpoint,
    CRD_PUBLIC_BASE_URL: publicBaseUrl,
    CRD_SIGNER_ROLE: signerRole,
  } = values;
  const billing = toBillingSettings(values);
  const { CRD_JWKS: jwks, CRD_JWT_ISSUER: issuer, CRD_JWT_AUDIENCE: audience } = values;
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
    ...(jwks && issuer !== undefined && audience !== undefined
      ? { sessions: { jwks, issuer, audience } }
      : {}),
    ...(billing === undefined ? {} : { billing }),
    keyMode: values.CRD_KEY_MODE,
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
