import { StoreError } from './object-store.js';

/** Where in S3 a store lies, and how to speak to it. */
export type S3Address = {
  readonly bucket: string;
  /** Beginning of every key, empty or with its closing slash. */
  readonly prefix: string;
  /** Another S3 server than Amazon's. */
  readonly endpoint?: string;
  /** Region of the bucket; the environment's where absent. */
  readonly region?: string;
  /** Whether the bucket is named in the path instead of the host. */
  readonly pathStyle: boolean;
};

/** What an address means where it does not say it itself. */
export type S3Defaults = {
  readonly endpoint?: string;
  readonly region?: string;
  readonly pathStyle?: boolean;
};

const ADDRESS = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/([^?#]*))?(?:\?([^#]*))?$/;
const PREFIX = /^((?!\.)[A-Za-z0-9._=-]+\/)*$/;
const PARAMETERS: Readonly<Record<string, RegExp>> = {
  endpoint: /./,
  region: /^[a-z0-9-]+$/,
  'path-style': /^(true|false)$/,
};

/**
 * Parses `s3://bucket/prefix`, with `?endpoint=URL&region=REGION&path-style=true` where needed.
 * @throws StoreError 'address' for any other text.
 */
export function parseS3Address(address: string, defaults: S3Defaults = {}): S3Address {
  const [, bucket, path = '', query = ''] = ADDRESS.exec(address) ?? [];
  const prefix = path.replace(/[^/]$/, '$&/');
  const said = new URLSearchParams(query);
  const isMeant = [...said].every(([name, value]) => PARAMETERS[name]?.test(value) ?? false);
  if (bucket === undefined || !PREFIX.test(prefix) || !isMeant) {
    throw new StoreError(
      'address',
      `"${withoutCredentials(address)}" is not an S3 address; write s3://bucket/prefix, with ?endpoint=URL&region=REGION&path-style=true where needed`,
    );
  }
  const endpoint = assertEndpoint(said.get('endpoint') ?? defaults.endpoint);
  const region = said.get('region') ?? defaults.region;
  return {
    bucket,
    prefix,
    pathStyle: (said.get('path-style') ?? String(defaults.pathStyle)) === 'true',
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(region === undefined ? {} : { region }),
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
    `"${withoutCredentials(endpoint)}" is not an endpoint; write its URL, for example http://127.0.0.1:4566`,
  );
}

/** An address as it may be shown: what stands before an @ is a secret, and belongs into no address. */
function withoutCredentials(address: string): string {
  return address.replace(/\/\/[^/]*@/, '//…@');
}
