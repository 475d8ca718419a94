import { randomBytes } from 'node:crypto';
import {
  CreateBucketCommand,
  DeleteObjectCommand,
  PutObjectCommand,
  ListObjectsV2Command,
  S3Client,
} from '@aws-sdk/client-s3';
import { openStore } from '../../../infra/store/open-store.js';
import type { ObjectStore } from '../../../infra/store/object-store.js';
import { deployStore } from '../aws/deploy-store.js';

/** A bucket for one test suite, and a client with all permissions. */
export type TestBucket = {
  readonly name: string;
  readonly endpoint: string;
  readonly client: S3Client;
  /** Returns the address of a store below the prefix. */
  readonly address: (prefix: string, endpoint?: string) => string;
  readonly store: (prefix: string) => Promise<ObjectStore>;
  /** Writes an object directly, also under keys that the store does not allow. */
  readonly put: (key: string, body: string | Uint8Array) => Promise<void>;
  readonly remove: (key: string) => Promise<void>;
  readonly keys: (prefix?: string) => Promise<string[]>;
  /** Returns the ETag of each object by key, from a listing. */
  readonly etags: (prefix?: string) => Promise<ReadonlyMap<string, string>>;
  /** Closes the client. The bucket stays: its server is discarded after the tests, and deleting takes seconds. */
  readonly dispose: () => void;
};

/** Folder with the synthesized stacks. If it is set, buckets are deployed with the properties of the stack. */
const STACKS = process.env['CRD_TEST_CDK_OUT'];

/** Creates a bucket on the server of `CRD_TEST_S3_ENDPOINT`. @throws Error if it is not set: no test is skipped. */
export async function createTestBucket(): Promise<TestBucket> {
  const endpoint = process.env['CRD_TEST_S3_ENDPOINT'];
  if (endpoint === undefined)
    throw new Error(
      'CRD_TEST_S3_ENDPOINT is not set. Run the project with npm run test:slow or npm run test:long.',
    );
  const client = new S3Client({ endpoint, forcePathStyle: true });
  const name = `crd-test-${randomBytes(6).toString('hex')}`;
  if (STACKS === undefined) await client.send(new CreateBucketCommand({ Bucket: name }));
  else await deployStore({ endpoint, name, folder: STACKS });
  const address = (prefix: string, at = endpoint): string =>
    `s3://${name}/${prefix}?endpoint=${encodeURIComponent(at)}&path-style=true`;

  async function etags(prefix = ''): Promise<ReadonlyMap<string, string>> {
    const found = new Map<string, string>();
    let token: string | undefined;
    do {
      const page = await client.send(
        new ListObjectsV2Command({
          Bucket: name,
          Prefix: prefix,
          ...(token === undefined ? {} : { ContinuationToken: token }),
        }),
      );
      for (const { Key = '', ETag = '' } of page.Contents ?? []) found.set(Key, ETag);
      token = page.NextContinuationToken;
    } while (token !== undefined);
    return found;
  }
  const remove = async (key: string): Promise<void> => {
    await client.send(new DeleteObjectCommand({ Bucket: name, Key: key }));
  };
  return {
    name,
    endpoint,
    client,
    address,
    store: (prefix) => openStore(address(prefix)),
    async put(key, body) {
      await client.send(new PutObjectCommand({ Bucket: name, Key: key, Body: body }));
    },
    remove,
    etags,
    keys: async (prefix) => [...(await etags(prefix)).keys()],
    dispose: () => client.destroy(),
  };
}
