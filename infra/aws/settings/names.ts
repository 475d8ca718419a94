import type { Parameters } from './parameters.js';

export const bucketArn = (bucket: string): string => `arn:aws:s3:::${bucket}`;

/** Returns the ARN of all objects in a bucket whose keys match the pattern `keys`. */
export const objectsArn = (bucket: string, keys: string): string => `${bucketArn(bucket)}/${keys}`;

/** Returns the name of the stack with this construct id. */
export const stackName = ({ name }: Parameters, id: string): string => `${name}-${id.toLowerCase()}`;

/** Returns the names of the roles. They contain the region, because role names are unique in the whole account. */
export function roleNames({ name, region }: Parameters) {
  const prefix = `${name}-${region}`;
  return {
    generator: `${prefix}-generator`,
    collector: `${prefix}-collector`,
    monitor: `${prefix}-monitor`,
    gc: `${prefix}-gc`,
    copier: `${prefix}-copier`,
    gateway: `${prefix}-gateway`,
    reconciler: `${prefix}-reconciler`,
    signer: `${prefix}-signer`,
    scheduler: `${prefix}-scheduler`,
    replicator: `${prefix}-replicator`,
    operator: `${prefix}-operator`,
  } as const;
}

export const roleArn = ({ account }: Parameters, role: string): string =>
  `arn:aws:iam::${account}:role/${role}`;

/** Returns the name of the secret that CloudFront sends to the gateway. */
export const originSecretName = ({ name, region }: Parameters): string => `${name}/origin-${region}`;

/** The gateway's variables with secrets of Stripe. */
const STRIPE_SECRETS = ['CRD_STRIPE_SECRET_KEY', 'CRD_STRIPE_WEBHOOK_SECRET'];

/** Returns the names of the secrets that an operator sets, by the gateway's variable. */
export function operatorSecrets({ name, selling }: Parameters): ReadonlyMap<string, string> {
  const variables = selling === undefined ? [] : STRIPE_SECRETS;
  return new Map(variables.map((each) => [each, `${name}/${each.toLowerCase().replaceAll('_', '-')}`]));
}

/** Returns the names of the logs. */
export function logNames({ name }: Parameters) {
  return {
    tasks: `/${name}/tasks`,
    gateway: `/${name}/gateway`,
    api: `/${name}/gateway-api`,
    signatures: `/aws/events/${name}/signatures`, // EventBridge writes only below this prefix
    delivery: `/aws/vendedlogs/${name}/delivery`,
  } as const;
}

/** Prefix of the log of AWS CloudTrail in the bucket of logs. */
export const TRAIL_PREFIX = 'trail';

/** Returns the name of the trail that reports the use of the signing keys. */
export const trailName = ({ name, region }: Parameters): string => `${name}-${region}-signing`;

export const trailArn = (parameters: Parameters): string =>
  `arn:aws:cloudtrail:${parameters.region}:${parameters.account}:trail/${trailName(parameters)}`;

/** Region of the CloudFront stack: its certificate, log and copy of the origin secret. AWS requires this region, wherever the other stacks are. */
export const DELIVERY_REGION = 'us-east-1';

/** Returns the alias of the key that encrypts the accounts. The key of their replica in another region has the same. */
export const accountsKeyAlias = ({ name }: Parameters): string => `alias/${name}-accounts`;

/** Value of the parameter `gatewayHost` until the host of the gateway is known. No DNS server resolves it (RFC 2606). */
export const UNKNOWN_HOST = 'gateway.invalid';
/** Region of the public raw data, and of the queries over them: data that leave it cost money. */
export const RAW_DATA_REGION = 'us-east-2';
