import type { Parameters } from './parameters.js';

/** ARN of a bucket. */
export const bucketArn = (bucket: string): string => `arn:aws:s3:::${bucket}`;

/** ARN of the objects of a bucket whose keys match. */
export const objectsArn = (bucket: string, keys: string): string => `${bucketArn(bucket)}/${keys}`;

/** Names of the roles, which the policies of several stacks spell. */
export function roleNames({ name, region }: Parameters) {
  const at = `${name}-${region}`; // roles are of the whole account: another region has its own
  return {
    generator: `${at}-generator`,
    monitor: `${at}-monitor`,
    collector: `${at}-collector`,
    copier: `${at}-copier`,
    gateway: `${at}-gateway`,
    reconciler: `${at}-reconciler`,
    signer: `${at}-signer`,
  } as const;
}

/** ARN of a role of the deployment. */
export const roleArn = ({ account }: Parameters, role: string): string =>
  `arn:aws:iam::${account}:role/${role}`;

/** Name of the secret that CloudFront sends to the gateway of a region. */
export const originSecretName = ({ name, region }: Parameters): string => `${name}/origin-${region}`;

/** Where CloudFront's certificates, logs and secrets are, whatever the region of the rest. */
export const DELIVERY_REGION = 'us-east-1';
