import { embedPath, metricsPagePath } from '../../../schemas/paths.js';
import type { Chain } from '../../../schemas/types.generated.js';
import { create } from '../dom.js';
import { button } from './controls.js';

type Cited = { readonly publisher: string; readonly sources: string; readonly address: string };

/** What a figure shows. */
type SharedView = { readonly cite: (cited: Cited) => string; readonly metricCount: () => number };

/** The part of a figure with its citation, its address and the code that embeds it. */
export type Sharing = {
  readonly element: HTMLElement;
  readonly citation: () => string;
  /** Follows the address of the page. */
  readonly update: () => void;
};

/** Height of an embedded chart with one metric and with two, in pixels: it fits a frame that is 800 pixels wide. */
const EMBED_HEIGHTS = [860, 1060] as const;

/** Creates the part of a figure that shares what it shows. */
export function createSharing(figure: HTMLElement, chain: Chain, { cite, metricCount }: SharedView): Sharing {
  const { publisher = '', sources = '' } = figure.dataset;
  const address = (): string => location.origin + metricsPagePath(chain) + location.hash;
  const citation = (): string => cite({ publisher, sources, address: address() });
  const code = (): string =>
    `<iframe src="${location.origin}${embedPath(chain)}${location.hash.replaceAll('&', '&amp;')}" title="${chain} metrics" width="100%" height="${EMBED_HEIGHTS[metricCount() > 1 ? 1 : 0]}" loading="lazy"></iframe>`;
  const cited = create('p', { className: 'chart-citation' });
  const status = create('span', { className: 'chart-copied' });
  status.setAttribute('role', 'status');
  const copy = (words: string, text: () => string): HTMLButtonElement =>
    button(`Copy ${words}`, () => {
      const write = async (): Promise<void> => navigator.clipboard.writeText(text());
      write().then(
        () => (status.textContent = `Copied the ${words}.`),
        () => (status.textContent = text()), // refused, or no clipboard over plain HTTP: the reader copies it
      );
    });
  const isEmbedded = figure.dataset['embedded'] !== undefined;
  const buttons = [
    copy('link', address),
    copy('citation', citation),
    ...(isEmbedded ? [] : [copy('embed code', code)]),
  ];
  const link = figure.querySelector<HTMLAnchorElement>('a.chart-page');
  return {
    element: create('div', { className: 'chart-sharing' }, [
      cited,
      create('div', { className: 'chart-tools' }, [...buttons, status]),
    ]),
    citation,
    update: () => {
      cited.textContent = `Cite: ${citation()}`;
      if (link !== null) link.href = address();
    },
  };
}
