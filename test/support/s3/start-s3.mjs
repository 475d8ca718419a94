// Jest's global setup of the projects that need an S3 server: starts LocalStack, unless CRD_TEST_S3_ENDPOINT names a server.
import { tsImport } from 'tsx/esm/api';

export default async function startS3() {
  if (process.env.CRD_TEST_S3_ENDPOINT !== undefined) return;
  const file = '../../../scripts/localstack/start-localstack.ts';
  const { S3_ENVIRONMENT, startLocalstack } = await tsImport(file, import.meta.url);
  const server = await startLocalstack();
  globalThis.stopS3 = server.stop; // for stop-s3.mjs
  Object.assign(process.env, S3_ENVIRONMENT, { CRD_TEST_S3_ENDPOINT: server.endpoint });
}
