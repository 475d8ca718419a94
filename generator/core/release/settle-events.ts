import { CHAIN_IDS } from '../../../schemas/catalog.js';
import { SITE_NAME } from '../../../schemas/site-name.js';
import type { ChainEvents } from '../../../schemas/types.generated.js';
import type { FileTemplate, ReleaseStamp } from '../artifacts/artifact.js';
import { lastAvailableOf } from '../artifacts/chain-facts.js';
import type { ChainState } from '../draft/chain-state.js';
import { type SettledFile, settleFile } from '../draft/settle-file.js';
import type { ReferenceTexts } from '../draft/site.js';
import type { FeedSite } from '../feeds/atom.js';
import { chainFeedFile } from '../feeds/chain-feed.js';
import { eventsFile, nextEvents } from '../feeds/chain-events.js';
import { regimeEventsFile } from '../feeds/regime-events.js';
import { addressOf } from '../pages/page.js';
import { manifestOf, type PublishedState } from './plan-types.js';

/** Options for the events of a release. */
type EventsOptions = {
  readonly previous: PublishedState | undefined;
  readonly stamp: ReleaseStamp;
  readonly reason: string | null;
};

/** Returns the events, the feed and the calendar of a chain whose history changes. A chain without dates in force keeps only its events. */
export function settleEvents(
  state: ChainState,
  texts: ReferenceTexts,
  { previous, stamp, reason }: EventsOptions,
): SettledFile[] {
  const { chain, history, labelChanges, withdrawnDates, restatedDates } = state;
  const wasWithdrawn = new Set(
    manifestOf(previous, 'meta', chain)
      ?.dates.filter(({ status }) => status === 'withdrawn')
      .map(({ date }) => date),
  );
  const restoredDates = history.map(({ date }) => date).filter((date) => wasWithdrawn.has(date));
  const events = nextEvents({
    chain,
    before: previous?.events.get(chain),
    change: { history, labelChanges, withdrawnDates, restoredDates, restatedDates, reason },
    lastAvailable: {
      before: previous?.status.chains[chain]?.last_available ?? null,
      now: lastAvailableOf(state.entries.meta),
    },
    publishedAt: stamp.publishedAt,
  });
  if (events === undefined) return [];
  const calendar = { chain, history, entries: state.entries.meta, revisions: state.revisions };
  const files =
    state.lastRecords.length === 0
      ? [eventsFile(events)]
      : [...eventFiles(events, texts), regimeEventsFile(feedSiteOf(texts), calendar)];
  return files.map((file) => settleFile(file, previous?.record, stamp));
}

/**
 * Returns the events and the feeds of the other chains: one that has become stale says so. That alone makes no release, but
 * one that is made anyway reports it.
 */
export function settleStale(
  { previous, stamp }: EventsOptions,
  changed: readonly { readonly state: ChainState }[],
  textsOf: (chain: ChainEvents['chain']) => ReferenceTexts,
): SettledFile[] {
  return CHAIN_IDS.filter((chain) => !changed.some(({ state }) => state.chain === chain)).flatMap((chain) => {
    const before = previous?.events.get(chain);
    const last = previous?.status.chains[chain]?.last_available ?? null;
    if (before === undefined) return [];
    const lastAvailable = { before: last, now: last };
    const { publishedAt } = stamp;
    const events = nextEvents({ chain, before, change: undefined, lastAvailable, publishedAt });
    if (events === undefined || JSON.stringify(events.stale) === JSON.stringify(before.stale)) return [];
    return eventFiles(events, textsOf(chain)).map((file) => settleFile(file, previous?.record, stamp));
  });
}

/** Returns the events of a chain and their feed. */
export function eventFiles(events: ChainEvents, texts: ReferenceTexts): FileTemplate[] {
  return [eventsFile(events), chainFeedFile(feedSiteOf(texts), events)];
}

export function feedSiteOf({ site: { details } }: ReferenceTexts): FeedSite {
  return {
    name: details?.name ?? SITE_NAME,
    publisher: details?.publisher ?? details?.name ?? SITE_NAME,
    address: addressOf(details?.base_url),
  };
}
