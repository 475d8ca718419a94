// For `node --import`: writes the URL of each module that is loaded as a line of the file RECORDED_IMPORTS.
import { appendFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';
import { register } from 'node:module';

if (isMainThread) register(import.meta.url);

export async function load(url, context, next) {
  appendFileSync(process.env.RECORDED_IMPORTS, `${url}\n`);
  return next(url, context);
}
