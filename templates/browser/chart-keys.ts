/** What keys do to a chart. */
type KeyActions = {
  readonly zoom: (factor: number) => void;
  readonly reset: () => void;
  /** Moves to the day that a key leads to. Returns false if it leads nowhere. */
  readonly move: (key: string) => boolean;
};

/** The keys that zoom, with the factor by which the number of days changes. */
const ZOOM_KEYS: Readonly<Record<string, number>> = { '+': 0.5, '=': 0.5, '-': 2 };

/** Lets keys move from day to day, zoom, and reset the zoom. Other keys keep their meaning. */
export function watchKeys(plot: HTMLElement, { zoom, reset, move }: KeyActions): void {
  plot.addEventListener('keydown', (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const factor = ZOOM_KEYS[event.key];
    if (factor !== undefined) zoom(factor);
    else if (event.key === 'Escape' || event.key === '0') reset();
    else if (!move(event.key)) return;
    event.preventDefault();
  });
}
