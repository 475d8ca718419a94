import { byChain, CHAINS } from '../../../schemas/catalog.js';
import { PUBLIC_PATHS } from '../../../schemas/paths.js';
import type {
  Chain,
  ChainHolds,
  ChainStatus,
  Changes,
  Landing,
  PublicFile,
  PublicRelease,
  ReleaseChanges,
  Status,
} from '../../../schemas/types.generated.js';
import { JSON_TYPE, jsonContent, type FileTemplate, type ReleaseStamp } from './artifact.js';
import type { ChainFacts } from './chain-facts.js';
import { nextDateOf, toPublishedFreshness, type PublishedFreshness } from './freshness.js';

/** Number of releases in the list of changes. */
const CHANGES_KEPT = 90;

/** The data of the files that describe the release itself. */
export type ReleaseOptions = {
  readonly facts: readonly ChainFacts[];
  readonly hold: string | null;
  readonly holds?: ChainHolds;
  readonly methodologyVersion: string;
};

/** Returns the status file: freshness, lag and publication context of every chain. */
export function statusFile({ facts, hold, holds, methodologyVersion }: ReleaseOptions): FileTemplate {
  return jsonFile(PUBLIC_PATHS.status, 'status', (stamp) => {
    const status: Status = {
      schema: 'status/1',
      ...stampMembers(stamp, methodologyVersion),
      hold,
      ...(holds === undefined ? {} : { holds }),
      chains: mapFacts(facts, (chain) => toChainStatus(chain, stamp)),
    };
    return status;
  });
}

function toChainStatus(facts: ChainFacts, stamp: ReleaseStamp): ChainStatus {
  const { chain, updatedThrough, days, sources } = facts;
  const next = nextDateOf(updatedThrough, sources);
  return {
    updated_through: updatedThrough,
    ...freshnessOf(facts, stamp),
    ...(next === undefined ? {} : { next }),
    expected_lag_days: CHAINS[chain].expectedLagDays,
    stale_after_days: CHAINS[chain].staleAfterDays,
    days,
    sources: [...sources],
  };
}

function freshnessOf(
  { chain, updatedThrough, lastAvailable, sources }: ChainFacts,
  { publishedAt }: ReleaseStamp,
): PublishedFreshness {
  return toPublishedFreshness(chain, updatedThrough, lastAvailable, publishedAt, sources);
}

export function landingFile({ facts, methodologyVersion }: ReleaseOptions): FileTemplate {
  return jsonFile(PUBLIC_PATHS.landing, 'landing', (stamp) => {
    const landing: Landing = {
      schema: 'landing/1',
      ...stampMembers(stamp, methodologyVersion),
      chains: mapFacts(facts, (chain) => ({
        updated_through: chain.updatedThrough,
        ...freshnessOf(chain, stamp),
        ...chain.landing,
      })),
    };
    return landing;
  });
}

/** Returns the releases whose changes are listed, newest first. */
export function keptChanges(
  newest: ReleaseChanges | undefined,
  earlier: readonly ReleaseChanges[],
): ReleaseChanges[] {
  return [...(newest === undefined ? [] : [newest]), ...earlier].slice(0, CHANGES_KEPT);
}

/** Returns the list of changes, newest first. */
export function changesFile(
  newest: ReleaseChanges | undefined,
  earlier: readonly ReleaseChanges[],
  methodologyVersion: string,
): FileTemplate {
  return jsonFile(PUBLIC_PATHS.changes, 'changes', (stamp) => {
    const releases = keptChanges(newest, earlier);
    const changes: Changes = { schema: 'changes/1', ...stampMembers(stamp, methodologyVersion), releases };
    return changes;
  });
}

/** Returns the file that lists the digest of every other public file. */
export function releaseFile(files: readonly PublicFile[], methodologyVersion: string): FileTemplate {
  return jsonFile(PUBLIC_PATHS.release, 'release', (stamp) => {
    const release: PublicRelease = {
      schema: 'release/1',
      ...stampMembers(stamp, methodologyVersion),
      files: [...files].sort((a, b) => (a.path < b.path ? -1 : 1)),
    };
    return release;
  });
}

function jsonFile(
  path: string,
  schema: 'status' | 'landing' | 'changes' | 'release',
  value: (stamp: ReleaseStamp) => unknown,
): FileTemplate {
  return { path, type: JSON_TYPE, content: (stamp) => jsonContent(schema, value(stamp)) };
}

/** Returns the members that say which release a file belongs to. */
function stampMembers(
  stamp: ReleaseStamp,
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
