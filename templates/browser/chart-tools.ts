import { RANGES } from './chart-view.js';
import { create } from './dom.js';

/** What the buttons of a chart do. */
type ToolActions = {
  readonly showRange: (index: number) => void;
  readonly download: (format: Format) => void;
};

/** Formats of a download. */
const FORMATS = ['CSV', 'SVG', 'PNG'] as const;

export type Format = (typeof FORMATS)[number];

/** The buttons of a chart. */
export type Tools = {
  readonly element: HTMLElement;
  /** Marks the range that is shown; none while the chart is zoomed. */
  readonly mark: (range: number | undefined) => void;
};

/** Creates the buttons of the ranges and downloads. */
export function createTools({ showRange, download }: ToolActions): Tools {
  const ranges = RANGES.map(({ name }, i) => createButton(name, () => showRange(i)));
  const downloads = FORMATS.map((format) => {
    const button = createButton(format, () => download(format));
    button.setAttribute('aria-label', `Download ${format}`);
    return button;
  });
  const group = (label: string, buttons: readonly HTMLElement[]): HTMLElement => {
    const element = create('div', { className: 'chart-group' }, buttons);
    element.setAttribute('role', 'group');
    element.setAttribute('aria-label', label);
    return element;
  };
  return {
    element: create('div', { className: 'chart-tools' }, [
      group('Range', ranges),
      group('Download', downloads),
    ]),
    mark: (range) => {
      for (const [i, button] of ranges.entries()) button.setAttribute('aria-pressed', String(i === range));
    },
  };
}

function createButton(text: string, act: () => void): HTMLButtonElement {
  const button = create('button', { textContent: text });
  button.type = 'button';
  button.addEventListener('click', act);
  return button;
}
