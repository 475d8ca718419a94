import path from 'node:path';

/** Returns the absolute path of the directory at the address of a store; `undefined` for any other address. */
export function directoryOf(address: string): string | undefined {
  // file:PATH or file:///PATH, but not file://HOST/PATH
  const match = /^file:(?:\/\/(?=\/))?(?!\/\/)(.+)$/.exec(address);
  return match?.[1] === undefined ? undefined : path.resolve(match[1]);
}
