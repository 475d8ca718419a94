import { existsSync } from 'node:fs';

/**
 * The nearest folder around this module that has a package.json: `dist` or, for a program that runs from its sources, the
 * repository. It is searched for, because the build bundles this module into files at different depths.
 */
const ROOT = findRoot(new URL('.', import.meta.url));

/** Returns the URL of a file or a folder of the product, such as `templates/`, by its path in the repository. */
export function productFile(path: string): URL {
  return new URL(path, ROOT);
}

function findRoot(folder: URL): URL {
  const parent = new URL('..', folder);
  const isTop = parent.href === folder.href;
  return isTop || existsSync(new URL('package.json', folder)) ? folder : findRoot(parent);
}
