/** What a pointer does to a chart. Positions are shares of its width. */
type GestureActions = {
  readonly point: (share: number) => void;
  readonly leave: () => void;
  /** Begins a drag or a pinch: `move` is then relative to the window of this moment. */
  readonly begin: () => void;
  /** Shows `factor` times as many days around a position, moved by `shift`. */
  readonly move: (around: number, factor: number, shift: number) => void;
  /** The last finger left the chart. */
  readonly end: () => void;
  /** Zooms around a position by a wheel. Returns whether the chart can still zoom that way. */
  readonly zoom: (around: number, factor: number) => boolean;
  /** Moves by a wheel that turns sideways. */
  readonly pan: (shift: number) => void;
  readonly reset: () => void;
};

/** Distance that a wheel turns to double the number of days, in pixels. */
const WHEEL_DOUBLES = 400;
/** Height of the lines and pages in which some wheels count, in pixels. */
const WHEEL_UNITS = [1, 16, 400] as const;
/** Two fingers are never closer than this share of the width, so that a pinch stays finite. */
const MIN_SPREAD = 0.02;

/** Lets a pointer read days, pan by dragging, and zoom by a wheel, a pinch and a double click. */
export function watchGestures(plot: HTMLElement, actions: GestureActions): void {
  const down = new Map<number, number>(); // the position of each finger that touches the chart
  let start: readonly number[] = [];
  const shareAt = ({ clientX }: MouseEvent): number => {
    const { left, width } = plot.getBoundingClientRect();
    return (clientX - left) / width;
  };
  const begin = (): void => {
    start = [...down.values()];
    actions.begin();
  };
  plot.addEventListener('pointerdown', (event) => {
    if (event.button !== 0 || down.size > 1) return;
    down.set(event.pointerId, shareAt(event));
    plot.setPointerCapture(event.pointerId);
    begin();
  });
  plot.addEventListener('pointermove', (event) => {
    const share = shareAt(event);
    if (!down.has(event.pointerId)) {
      actions.point(share);
      return;
    }
    down.set(event.pointerId, share);
    const now = [...down.values()];
    const around = middleOf(start);
    actions.move(around, spreadOf(start) / spreadOf(now), middleOf(now) - around);
    if (down.size === 1) actions.point(share);
  });
  for (const name of ['pointerup', 'pointercancel'] as const) {
    plot.addEventListener(name, (event) => {
      if (!down.delete(event.pointerId)) return;
      begin();
      if (name === 'pointerup') actions.point(shareAt(event));
      if (down.size === 0) actions.end();
    });
  }
  plot.addEventListener('pointerleave', (event) => {
    if (event.pointerType === 'mouse' && down.size === 0) actions.leave();
  });
  plot.addEventListener('dblclick', actions.reset);
  plot.addEventListener(
    'wheel',
    (event) => {
      const unit = WHEEL_UNITS[event.deltaMode] ?? 1;
      if (Math.abs(event.deltaX) > Math.abs(event.deltaY))
        actions.pan((event.deltaX * unit) / plot.clientWidth);
      else if (!actions.zoom(shareAt(event), 2 ** ((event.deltaY * unit) / WHEEL_DOUBLES))) return; // the page scrolls
      event.preventDefault();
    },
    { passive: false },
  );
}

function middleOf(shares: readonly number[]): number {
  return shares.reduce((sum, share) => sum + share, 0) / Math.max(1, shares.length);
}

function spreadOf(shares: readonly number[]): number {
  return shares.length < 2 ? 1 : Math.max(MIN_SPREAD, Math.max(...shares) - Math.min(...shares));
}
