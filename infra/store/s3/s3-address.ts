import { StoreError } from '../object-store.js';

/** Location of a store in S3. */
export type S3Address = {
  readonly bucket: string;
  /** Prefix of every key: empty or with a trailing slash. */
  readonly prefix: string;
  /** URL of an S3 server other than Amazon's. */
  readonly endpoint?: string;
  /** Region of the bucket; by default the environment's. */
  readonly region?: string;
  /** True if URLs contain the bucket in the path instead of the host. */
  readonly pathStyle: boolean;
  /** Profile of the AWS configuration that has the credentials; by default the environment's. */
  readonly profile?: string;
};

/** Values for parameters that an address does not contain. */
export type S3Defaults = {
  readonly endpoint?: string;
  readonly region?: string;
  readonly pathStyle?: boolean;
};

const ADDRESS = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/([^?#]*))?(?:\?([^#]*))?$/;
const PREFIX = /^((?!\.)[A-Za-z0-9._=-]+\/)*$/;
const PARAMETER_FORMS: ReadonlyMap<string, RegExp> = new Map([
  ['endpoint', /./],
  ['region', /^[a-z0-9-]+$/],
  ['path-style', /^(true|false)$/],
  ['profile', /^[\w.-]+$/],
]);

/**
 * Parses `s3://bucket` or `s3://bucket/prefix`, optionally with
 * `?endpoint=URL&region=REGION&path-style=true&profile=NAME`.
 * @throws StoreError 'address' for any other text.
 */
export function parseS3Address(address: string, defaults: S3Defaults = {}): S3Address {
  const [, bucket, path = '', query = ''] = ADDRESS.exec(address) ?? [];
  const prefix = path.replace(/[^/]$/, '$&/');
  const parameters = new URLSearchParams(query);
  const isValid = [...parameters].every(([name, value]) => PARAMETER_FORMS.get(name)?.test(value) ?? false);
  if (bucket === undefined || !PREFIX.test(prefix) || !isValid) {
    throw new StoreError(
      'address',
      `"${withoutCredentials(address)}" is not an S3 address. Use s3://bucket/prefix, with ?endpoint=URL&region=REGION&path-style=true if needed.`,
    );
  }
  const endpoint = assertEndpoint(parameters.get('endpoint') ?? defaults.endpoint);
  const region = parameters.get('region') ?? defaults.region;
  const profile = parameters.get('profile');
  return {
    bucket,
    prefix,
    pathStyle: (parameters.get('path-style') ?? String(defaults.pathStyle)) === 'true',
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(region === undefined ? {} : { region }),
    ...(profile === null ? {} : { profile }),
  };
}

function assertEndpoint(endpoint: string | undefined): string | undefined {
  if (endpoint === undefined) return undefined;
  if (URL.canParse(endpoint)) {
    const { protocol, username, password } = new URL(endpoint);
    if (/^https?:$/.test(protocol) && username === '' && password === '') return endpoint;
  }
  throw new StoreError(
    'address',
    `"${withoutCredentials(endpoint)}" is not an endpoint. Use a URL, for example http://127.0.0.1:4566.`,
  );
}

/** Replaces everything before the last `@` of an address, so that a message does not repeat a secret. */
function withoutCredentials(address: string): string {
  return address.replace(/^.*(@|%40)/is, '…@');
}
