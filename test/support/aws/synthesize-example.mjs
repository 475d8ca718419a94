// Jest's global setup of the projects that test the stacks: synthesizes the example deployment once for all suites.
// CRD_TEST_CDK_OUT names the output; if it is set already, for example to the output of `cdk synth`, it is used as it is.
import { spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import path from 'node:path';

const AWS = path.join(import.meta.dirname, '../../../infra/aws');

export default function synthesizeExample() {
  if (process.env.CRD_TEST_CDK_OUT !== undefined) return;
  const folder = path.join(AWS, 'cdk.out/example');
  rmSync(folder, { recursive: true, force: true });
  const parameters = path.join(AWS, 'parameters.example.json');
  const args = ['--import', 'tsx', path.join(import.meta.dirname, 'synthesize-all.mjs')];
  const { status } = spawnSync(process.execPath, [...args, JSON.stringify([{ folder, parameters }])], {
    env: { ...process.env, NODE_OPTIONS: '' },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  if (status !== 0) throw new Error('the example deployment cannot be synthesized');
  process.env.CRD_TEST_CDK_OUT = folder;
}
