import type { FileRequest } from '../../core/access/file-request.js';
import { GatewayError } from '../../core/problems.js';
import { locate, type FileFacts, type FileLocation } from '../../core/releases/release-view.js';
import type { Releases } from './releases.js';

/**
 * Finds a file. If the known release may be too old to have it, polls for a newer one first: the subscriber may know of
 * that release from another copy of the gateway.
 * @throws GatewayError 'not-published', 'not-found' or 'gone'; 'store-unavailable' when the poll failed.
 */
export function findFile(
  releases: Pick<Releases, 'current' | 'catchUp'>,
  file: FileRequest,
): FileFacts | Promise<FileFacts> {
  const location = locateIn(releases, file);
  return location !== undefined && location.kind !== 'ahead'
    ? assertFound(location, file)
    : findAfterPoll(releases, file);
}

async function findAfterPoll(
  releases: Pick<Releases, 'current' | 'catchUp'>,
  file: FileRequest,
): Promise<FileFacts> {
  const isUpToDate = await releases.catchUp();
  const location = locateIn(releases, file);
  if (location === undefined) throw new GatewayError(isUpToDate ? 'not-published' : 'store-unavailable');
  if (location.kind === 'ahead' && !isUpToDate) {
    throw new GatewayError('store-unavailable', {
      detail:
        'The newest known release does not have this file, and newer releases cannot be read at the moment.',
    });
  }
  return assertFound(location, file);
}

function locateIn({ current }: Pick<Releases, 'current'>, file: FileRequest): FileLocation | undefined {
  const release = current();
  return release && locate(release, file);
}

function assertFound(location: FileLocation, file: FileRequest): FileFacts {
  if (location.kind === 'found') return location.facts;
  if (location.kind === 'gone') throw new GatewayError('gone');
  throw new GatewayError('not-found', { detail: explainAbsence(file) });
}

function explainAbsence(file: FileRequest): string {
  if (file.kind === 'lineage')
    return `No lineage of ${file.date} is published. If the chain is collected, its manifest of lineage lists the dates that have one.`;
  if (file.kind !== 'day') return 'No release has this file yet.';
  return file.revision === null
    ? `${file.date} has not been published. The manifest lists all published dates.`
    : `${file.date} was not published at that revision, or the revision does not exist. The manifest lists each date with its revisions.`;
}
