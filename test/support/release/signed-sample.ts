import path from 'node:path';
import { copyFolder } from '../process/copy-folder.js';
import { signStore } from '../trust/signed-generator.js';
import { publishSample, SAMPLE } from './published-sample.js';

/** Copies the store of the sample into a folder, and signs its release. Returns its address and the trust anchor. */
export async function signSample(
  folder: string,
): Promise<{ readonly store: string; readonly trust: string }> {
  const root = path.join(folder, 'store');
  const store = `file:${root}`;
  await copyFolder(await publishSample(), root);
  const { trust, generate } = await signStore(folder, store, 2); // release 1 exists unsigned
  await generate('publish', '--input', SAMPLE, '--store', store);
  return { store, trust };
}
