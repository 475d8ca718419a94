import type { FileRequest } from '../core/file-request.js';
import { GatewayError } from '../core/problems.js';
import { locate, type FileFacts, type Whereabouts } from '../core/release-view.js';
import type { Releases } from './releases.js';

/**
 * Finds a file, also in a release that came just now: a subscriber may know of it from another copy of the gateway.
 * @throws GatewayError 'not-published', 'not-found' or 'gone'; 'store-unavailable' where only a newer release can tell.
 */
export function findFile(
  releases: Pick<Releases, 'current' | 'catchUp'>,
  file: FileRequest,
): FileFacts | Promise<FileFacts> {
  const found = look(releases, file);
  return found !== undefined && found.kind !== 'ahead' ? assertFound(found, file) : findLater(releases, file);
}

async function findLater(
  releases: Pick<Releases, 'current' | 'catchUp'>,
  file: FileRequest,
): Promise<FileFacts> {
  const isCertain = await releases.catchUp();
  const found = look(releases, file);
  if (found === undefined) throw new GatewayError(isCertain ? 'not-published' : 'store-unavailable');
  if (found.kind === 'ahead' && !isCertain) {
    throw new GatewayError('store-unavailable', {
      detail:
        'the newest release known here does not have this file; whether a newer one has cannot be seen now',
    });
  }
  return assertFound(found, file);
}

function look({ current }: Pick<Releases, 'current'>, file: FileRequest): Whereabouts | undefined {
  const release = current();
  return release && locate(release, file);
}

function assertFound(found: Whereabouts, file: FileRequest): FileFacts {
  if (found.kind === 'found') return found.facts;
  if (found.kind === 'gone') throw new GatewayError('gone');
  throw new GatewayError('not-found', { detail: explainAbsence(file) });
}

function explainAbsence(file: FileRequest): string {
  if (file.kind !== 'day') return 'no release has this file yet';
  return file.revision === null
    ? `${file.date} was never published; the manifest lists the dates that were`
    : `${file.date} was not published as of that revision, or there is no such revision; the manifest lists both`;
}
