import { byChain, CHAINS } from '../../../schemas/catalog.js';
import { PUBLIC_PATHS } from '../../../schemas/paths.js';
import type {
  Chain,
  Changes,
  Landing,
  PublicFile,
  PublicRelease,
  ReleaseChanges,
  Status,
} from '../../../schemas/types.generated.js';
import { JSON_TYPE, jsonContent, type FileKind, type Stamp } from './artifact.js';
import type { ChainFacts } from './chain-facts.js';
import { toFreshness } from './freshness.js';

/** Number of releases that the list of changes goes back. */
export const CHANGES_KEPT = 90;

/** What the files that describe the publication itself are made from. */
export type ReleaseTerms = {
  readonly facts: readonly ChainFacts[];
  readonly hold: string | null;
  readonly methodologyVersion: string;
};

/** The status file: freshness, lag and publication context of every chain. */
export function statusFile({ facts, hold, methodologyVersion }: ReleaseTerms): FileKind {
  return jsonFile(PUBLIC_PATHS.status, 'status', (stamp) => {
    const status: Status = {
      schema: 'status/1',
      ...own(stamp, methodologyVersion),
      hold,
      chains: mapFacts(facts, (chain) => ({
        updated_through: chain.updatedThrough,
        ...toFreshness(chain.chain, chain.updatedThrough, chain.lastAvailable, stamp.publishedAt),
        expected_lag_days: CHAINS[chain.chain].expectedLagDays,
        stale_after_days: CHAINS[chain.chain].staleAfterDays,
        days: chain.days,
        sources: [...chain.sources],
      })),
    };
    return status;
  });
}

/** The landing snapshot across the published chains. */
export function landingFile({ facts, methodologyVersion }: ReleaseTerms): FileKind {
  return jsonFile(PUBLIC_PATHS.landing, 'landing', (stamp) => {
    const landing: Landing = {
      schema: 'landing/1',
      ...own(stamp, methodologyVersion),
      chains: mapFacts(facts, (chain) => ({
        updated_through: chain.updatedThrough,
        ...toFreshness(chain.chain, chain.updatedThrough, chain.lastAvailable, stamp.publishedAt),
        ...chain.landing,
      })),
    };
    return landing;
  });
}

/** The list of changes, newest first: `newest`, when there is one, before the `earlier` ones. */
export function changesFile(
  newest: ReleaseChanges | undefined,
  earlier: readonly ReleaseChanges[],
  methodologyVersion: string,
): FileKind {
  return jsonFile(PUBLIC_PATHS.changes, 'changes', (stamp) => {
    const releases = [...(newest === undefined ? [] : [newest]), ...earlier].slice(0, CHANGES_KEPT);
    const changes: Changes = { schema: 'changes/1', ...own(stamp, methodologyVersion), releases };
    return changes;
  });
}

/** The digest of every other public file of the release. */
export function releaseFile(files: readonly PublicFile[], methodologyVersion: string): FileKind {
  return jsonFile(PUBLIC_PATHS.release, 'release', (stamp) => {
    const release: PublicRelease = {
      schema: 'release/1',
      ...own(stamp, methodologyVersion),
      files: [...files].sort((a, b) => (a.path < b.path ? -1 : 1)),
    };
    return release;
  });
}

function jsonFile(
  path: string,
  schema: 'status' | 'landing' | 'changes' | 'release',
  value: (stamp: Stamp) => unknown,
): FileKind {
  return { path, type: JSON_TYPE, content: (stamp) => jsonContent(schema, value(stamp)) };
}

function own(
  stamp: Stamp,
  methodologyVersion: string,
): Pick<Status, 'published_revision' | 'published_at' | 'sequence' | 'methodology_version'> {
  return {
    published_revision: stamp.revision,
    published_at: stamp.publishedAt,
    sequence: stamp.sequence,
    methodology_version: methodologyVersion,
  };
}

function mapFacts<T>(
  facts: readonly ChainFacts[],
  value: (chain: ChainFacts) => T,
): { [chain in Chain]?: T } {
  return byChain((chain) => {
    const found = facts.find((each) => each.chain === chain);
    return found && value(found);
  });
}
