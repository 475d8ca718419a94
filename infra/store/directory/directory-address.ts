import path from 'node:path';
import { filePathOf } from '../../../schemas/store-address.js';

/** Returns the absolute path of the directory at the address of a store; `undefined` for any other address. */
export function directoryOf(address: string): string | undefined {
  const file = filePathOf(address);
  return file === undefined ? undefined : path.resolve(file);
}
