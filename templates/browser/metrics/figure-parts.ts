import { create } from '../dom.js';

const HINT =
  'Point at the chart, tap it or use the arrow keys to read a day. Drag to move; use the wheel, two fingers or + and - to zoom.';

/** The elements of a figure with metrics. */
export type FigureParts = {
  readonly figure: HTMLElement;
  readonly plot: HTMLElement;
  readonly canvas: HTMLElement;
  readonly cursor: HTMLElement;
  readonly readout: HTMLElement;
  readonly status: HTMLElement;
  readonly head: HTMLElement;
  readonly title: HTMLElement;
  readonly range: HTMLElement;
  /** For what is below the chart. */
  readonly foot: HTMLElement;
};

/** Adds what an interactive figure needs. The picture stays until the first drawing. */
export function addParts(figure: HTMLElement, plot: HTMLElement): FigureParts {
  const canvas = create('div', { className: 'chart-canvas' }, [...plot.childNodes]);
  const cursor = create('div', { className: 'chart-cursor', hidden: true });
  plot.replaceChildren(canvas, cursor);
  plot.tabIndex = 0;
  plot.setAttribute('role', 'slider');
  plot.setAttribute('aria-label', 'Day of the chart');
  plot.setAttribute('aria-valuenow', '0');
  plot.setAttribute('aria-valuetext', HINT);
  const readout = create('div', { className: 'chart-readout', textContent: HINT });
  const status = create('p', { className: 'chart-status' });
  status.setAttribute('aria-live', 'polite');
  plot.after(readout, status);
  const find = (name: string): HTMLElement => {
    const found = figure.querySelector<HTMLElement>(name);
    if (found === null) throw new Error(`the figure has no ${name}`);
    return found;
  };
  return {
    figure,
    plot,
    canvas,
    cursor,
    readout,
    status,
    head: find('.chart-head'),
    title: find('.chart-title'),
    range: find('.chart-range'),
    foot: find('.chart-foot'),
  };
}
