// Jest's global teardown of the projects that need an S3 server: stops what start-s3.mjs started.
export default async function stopS3() {
  await globalThis.stopS3?.();
}
