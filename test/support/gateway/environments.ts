import {
  toConfiguration,
  type Configuration,
  type Environment,
} from '../../../gateway/core/configuration/configuration.js';

/** A valid link secret. */
export const SECRET = '0123456789abcdef0123456789abcdef';
/** Two directory stores without further settings. */
export const DIRECTORY = { CRD_STORE: 'file:/data/store', CRD_ACCOUNTS_STORE: 'file:/data/accounts' };
/** The minimal configuration of a gateway. */
export const MINIMAL = { ...DIRECTORY, CRD_LINK_SECRET: SECRET };
/** The minimal configuration with S3. */
export const S3 = {
  CRD_STORE: 's3://releases/data',
  CRD_ACCOUNTS_STORE: 's3://accounts',
  CRD_PUBLIC_BASE_URL: 'https://data.example.com',
};
/** An identity provider. */
export const PROVIDER = {
  CRD_JWKS: 'https://login.example.com/jwks.json',
  CRD_JWT_ISSUER: 'https://login.example.com/',
  CRD_JWT_AUDIENCE: 'dashboard',
};

/** Returns the configuration of a valid environment. */
export function configure(env: Environment): Configuration {
  const parsed = toConfiguration(env);
  if ('faults' in parsed) throw new Error(parsed.faults.join('\n'));
  return parsed.configuration;
}

/** Returns all faults of an environment. */
export function faultsOf(env: Environment): readonly string[] {
  const parsed = toConfiguration(env);
  return 'faults' in parsed ? parsed.faults : [];
}

/** Returns the names of the faulty variables. */
export function faultyVariables(env: Environment): string[] {
  return faultsOf(env).map((fault) => fault.slice(0, fault.indexOf(':')));
}
