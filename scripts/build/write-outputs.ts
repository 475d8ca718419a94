/** Writes what is deployed and published from a commit: `tsx scripts/build/write-outputs.ts FOLDER`, in the root folder. */
import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { makeWheel } from '../../generator/core/artifacts/python-wheel.js';
import { readPythonClient } from '../../generator/texts/product-texts.js';

const ROOT = path.join(import.meta.dirname, '../..');

/** Subfolder of the gateway's bundle for AWS Lambda. */
export const BUNDLE = 'gateway-lambda';

/** Writes the gateway's bundle and the wheel of the Python client. Returns the name of the wheel. */
export async function writeOutputs(folder: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  const bundle = path.resolve(folder, BUNDLE);
  await promisify(execFile)('npm', ['--prefix', 'infra/aws', 'run', '--silent', 'bundle', '--', bundle], {
    cwd: ROOT,
  });
  const wheel = makeWheel(await readPythonClient(new URL('../../templates/python/', import.meta.url)));
  await writeFile(path.join(folder, wheel.name), wheel.bytes);
  return wheel.name;
}

if (process.argv[1] === import.meta.filename && process.argv[2] !== undefined)
  await writeOutputs(process.argv[2]);
