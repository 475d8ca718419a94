import { CHAIN_IDS, CHAINS, LABEL_MEANINGS } from '../../../schemas/catalog.js';
import { freshnessLimits } from '../../../schemas/freshness.js';
import type { Chain, ChainLanding, RegimeLabel } from '../../../schemas/types.generated.js';
import { count, withMinusSigns } from '../text/number-words.js';
import { dateWords, joinWords } from '../text/date-words.js';

/** Placeholder for a missing value. */
export const ABSENT = '–';

/** Formats a number for a cell of a page, with a typographic minus sign. */
export function toCell(x: number | null | undefined, toWords: (x: number) => string): string {
  return x === null || x === undefined ? ABSENT : withMinusSigns(toWords(x));
}

/** Returns the labels of the last dates as a ribbon, a bar with one part per date, and its text alternative. Precondition: at least one date. */
export function toRibbon(labels: ChainLanding['labels']): object {
  const counts = (Object.keys(LABEL_MEANINGS) as RegimeLabel[]) // Object.keys loses the key type
    .map((label) => ({ label, days: labels.filter((each) => each.label === label).length }))
    .filter(({ days }) => days > 0);
  const words = counts.map(({ label, days }) => `${label} ${count(days, 'day')}`).join(', ');
  const [first, last] = [labels[0]?.date ?? '', labels.at(-1)?.date ?? ''];
  return { days: labels, words: `Labels from ${first} to ${last}: ${words}.` };
}

/** What each label means, as a sentence for readers who do not know the methodology. */
export const LABEL_SENTENCES: Readonly<Record<RegimeLabel, string>> = {
  congested: 'More use than usual, and block space is scarce.',
  expanding: 'More use than usual, and block space is not scarce.',
  strained: 'Block space is scarce, although use is not above normal.',
  steady: 'Nothing unusual in use or fees.',
  slack: 'Normal use; fees are unusually low or blocks unusually empty.',
  quiet: 'Less use than usual; fees are normal.',
  dormant: 'Less use than usual, and fees are unusually low or blocks unusually empty.',
  indeterminate: 'Not enough data to name a regime.',
};

/** Returns the attribution of a source as shown behind the word "Attribution". Some texts begin with "Source:". */
export function attributionWords(attribution: string): string {
  return attribution.replace(/^source:\s*/i, '');
}

/** Returns the members by chain in display order, which a stored document does not keep. */
export function inChainOrder<T>(byChain: { readonly [chain in Chain]?: T }): [Chain, T][] {
  return CHAIN_IDS.flatMap((chain): [Chain, T][] => {
    const value = byChain[chain];
    return value === undefined ? [] : [[chain, value]];
  });
}

/** A notice that a script shows once the data of these chains is late or stale by the reader's clock. */
export type FreshnessNotice = {
  readonly names: string;
  readonly extent: string;
  readonly lateAfter: readonly string[];
  readonly staleAfter: readonly string[];
};

/** Returns the notices about late and stale data: one for all chains whose data ends on the same day and ages alike. */
export function toFreshnessNotices(
  chains: readonly { readonly chain: Chain; readonly lastAvailable: string | null }[],
): FreshnessNotice[] {
  const groups = new Map<string, { names: string[]; notice: Omit<FreshnessNotice, 'names'> }>();
  for (const { chain, lastAvailable } of chains) {
    const { late_after: late, stale_after: stale } = freshnessLimits(chain, lastAvailable);
    const notice = {
      extent:
        lastAvailable === null ? 'no day has a regime yet' : `regimes up to ${dateWords(lastAvailable)}`,
      lateAfter: late === null ? [] : [late],
      staleAfter: stale === null ? [] : [stale],
    };
    const key = JSON.stringify(notice);
    const group = groups.get(key) ?? { names: [], notice };
    group.names.push(CHAINS[chain].name);
    groups.set(key, group);
  }
  return [...groups.values()].map(({ names, notice }) => ({ names: joinWords(names), ...notice }));
}
