import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { readSourceCommit } from '../../infra/process/source-commit.js';
import { sha256Hex } from '../../schemas/digest.js';
import type { GeneratorBuild } from '../../schemas/types.generated.js';

const COMMIT = /^[0-9a-f]{40}(?:-modified)?$/;

/**
 * Returns what a build of the sources in `folder` is made from. `sourceCommit` counts where there is no git, as in the build
 * of a container image. @throws Error if it is not a commit
 */
export async function describeBuild(folder: string, sourceCommit?: string): Promise<GeneratorBuild> {
  const { version } = JSON.parse(await readFile(path.join(folder, 'package.json'), 'utf8')) as {
    version: string; // npm checks it
  };
  return {
    version,
    commit: readSourceCommit(folder) ?? parseCommit(sourceCommit),
    lockfile_sha256: sha256Hex(await readFile(path.join(folder, 'package-lock.json'))),
  };
}

function parseCommit(text = ''): string | null {
  if (text === '') return null;
  if (COMMIT.test(text)) return text;
  throw new Error(
    `SOURCE_COMMIT is not a commit: ${text}. Use the 40 hex digits of git rev-parse HEAD, or leave it out.`,
  );
}
