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

/** file:PATH, file:/PATH or file:///PATH; not file://host/PATH. */
const FILE = /^file:(?:\/\/(?=\/))?(?!\/\/)(.+)$/;
const S3 = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/([^?#]*))?(?:\?([^#]*))?$/;
const PREFIX = /^((?!\.)[A-Za-z0-9._=-]+\/)*$/;
const PARAMETER_FORMS: ReadonlyMap<string, RegExp> = new Map([
  ['endpoint', /./],
  ['region', /^[a-z0-9-]+$/],
  ['path-style', /^(true|false)$/],
  ['profile', /^[\w.-]+$/],
]);

/** Returns the path of `file:PATH`; `undefined` for any other address. */
export function filePathOf(address: string): string | undefined {
  return FILE.exec(address)?.[1];
}

/**
 * Parses `s3://bucket` or `s3://bucket/prefix`, optionally with
 * `?endpoint=URL&region=REGION&path-style=true&profile=NAME`. Returns a sentence about the fault of any other text.
 */
export function parseS3Address(address: string, defaults: S3Defaults = {}): S3Address | string {
  const [, bucket, path = '', query = ''] = S3.exec(address) ?? [];
  const prefix = path.replace(/[^/]$/, '$&/'); // appends a missing slash
  const parameters = new URLSearchParams(query);
  const areValid = [...parameters].every(([name, value]) => PARAMETER_FORMS.get(name)?.test(value) ?? false);
  if (bucket === undefined || !PREFIX.test(prefix) || !areValid) {
    return `"${withoutCredentials(address)}" is not an S3 address. Use s3://bucket/prefix, with ?endpoint=URL&region=REGION&path-style=true if needed.`;
  }
  const settings = settingsOf(parameters, defaults);
  const { endpoint } = settings;
  if (endpoint !== undefined && !isEndpoint(endpoint)) {
    return `"${withoutCredentials(endpoint)}" is not an endpoint. Use a URL, for example http://127.0.0.1:4566.`;
  }
  return { bucket, prefix, ...settings };
}

function settingsOf(parameters: URLSearchParams, defaults: S3Defaults): Omit<S3Address, 'bucket' | 'prefix'> {
  const endpoint = parameters.get('endpoint') ?? defaults.endpoint;
  const region = parameters.get('region') ?? defaults.region;
  const profile = parameters.get('profile');
  return {
    pathStyle: (parameters.get('path-style') ?? String(defaults.pathStyle)) === 'true',
    ...(endpoint === undefined ? {} : { endpoint }),
    ...(region === undefined ? {} : { region }),
    ...(profile === null ? {} : { profile }),
  };
}

/** Returns whether a text is the URL of a server. One with a user name or password is refused, because messages would print it. */
function isEndpoint(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password } = new URL(text);
  return /^https?:$/.test(protocol) && username === '' && password === '';
}

/** Replaces everything before the last `@` of an address, so that a message does not repeat a secret. */
function withoutCredentials(address: string): string {
  return address.replace(/^.*(@|%40)/is, '…@');
}
