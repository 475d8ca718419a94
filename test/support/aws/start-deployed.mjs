// Jest's global setup of the tests of deployed stacks: an S3 server, and the synthesized stacks.
import startS3 from '../s3/start-s3.mjs';
import synthesizeExample from './synthesize-example.mjs';

export default async function startDeployed() {
  synthesizeExample();
  await startS3();
}
