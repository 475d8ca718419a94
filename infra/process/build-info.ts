import { readFileSync } from 'node:fs';
import product from '../../package.json' with { type: 'json' };
import { productFile } from '../../schemas/product-file.js';
import type { GeneratorBuild } from '../../schemas/types.generated.js';

/** The file that `npm run build` writes into `dist`. Beside the sources there is none. */
const FILE = productFile('build-info.json');

let known: GeneratorBuild | undefined;

/**
 * Returns what this program was built from. Commit and lock file are unknown to a program that runs from its sources. The
 * file is read once per process.
 */
export function readBuildInfo(): GeneratorBuild {
  return (known ??= readFile(FILE) ?? { version: product.version, commit: null, lockfile_sha256: null });
}

function readFile(file: URL): GeneratorBuild | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as GeneratorBuild; // the build wrote it
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Returns the version that a program prints: its number, or with `--json` all that is known about its build. */
export function versionText(args: readonly string[]): string {
  return args.includes('--json') ? JSON.stringify(readBuildInfo(), null, 2) : product.version;
}
