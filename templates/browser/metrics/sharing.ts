import { embedPath, metricsPagePath } from '../../../schemas/paths.js';
import type { Chain } from '../../../schemas/types.generated.js';
import { create } from '../dom.js';
import { button } from './controls.js';

type Cited = { readonly publisher: string; readonly sources: string; readonly address: string };

/** The part of a figure with its citation, its address and the code that embeds it. */
export type Sharing = {
  readonly element: HTMLElement;
  readonly citation: () => string;
  /** Follows the address of the page. */
  readonly update: () => void;
};

/** Height of an embedded chart, in pixels. */
const EMBED_HEIGHT = 640;

/** Creates the part of a figure that shares what it shows. `cite` returns the citation of what is shown. */
export function createSharing(figure: HTMLElement, chain: Chain, cite: (cited: Cited) => string): Sharing {
  const { publisher = '', sources = '' } = figure.dataset;
  const address = (): string => location.origin + metricsPagePath(chain) + location.hash;
  const citation = (): string => cite({ publisher, sources, address: address() });
  const code = (): string =>
    `<iframe src="${location.origin}${embedPath(chain)}${location.hash.replaceAll('&', '&amp;')}" title="${chain} metrics" width="100%" height="${EMBED_HEIGHT}" loading="lazy"></iframe>`;
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
