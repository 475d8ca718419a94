// Synthesizes deployments in one process, because bundling the gateway and loading the CDK take longer than a synthesis.
// The argument is a JSON list of { folder, parameters }, where `parameters` is a file.
import { readFile } from 'node:fs/promises';
import { synthesize } from '../../../infra/aws/app.ts';
import { bundleGateway } from '../../../infra/aws/settings/bundle.ts';

const { context } = JSON.parse(
  await readFile(new URL('../../../infra/aws/cdk.json', import.meta.url), 'utf8'),
);
await bundleGateway();
for (const { folder, parameters } of JSON.parse(process.argv[2])) {
  synthesize({ outdir: folder, context: { ...context, parameters } });
}
