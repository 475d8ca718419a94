/** What a pointer does to a chart. Positions are shares of its width. */
type PointerActions = {
  readonly point: (share: number) => void;
  readonly leave: () => void;
  readonly brush: (from: number, to: number) => void;
  readonly zoom: (from: number, to: number) => void;
  readonly reset: () => void;
};

/** Least movement that zooms instead of pointing, in pixels. */
const DRAG_PIXELS = 6;

/** Lets a pointer read days by hovering and tapping, zoom by dragging, and reset the zoom by a double click. */
export function watchPointer(plot: HTMLElement, actions: PointerActions): void {
  let start: number | undefined;
  const shareOf = ({ clientX }: PointerEvent): number => {
    const { left, width } = plot.getBoundingClientRect();
    return Math.min(1, Math.max(0, (clientX - left) / width));
  };
  const isDrag = (share: number): boolean =>
    start !== undefined && Math.abs(share - start) * plot.clientWidth >= DRAG_PIXELS;
  const end = (): void => {
    start = undefined;
    actions.brush(0, 0);
  };
  plot.addEventListener('pointerdown', (event) => {
    if (event.button !== 0) return;
    start = shareOf(event);
    plot.setPointerCapture(event.pointerId);
  });
  plot.addEventListener('pointermove', (event) => {
    const share = shareOf(event);
    actions.point(share);
    if (start !== undefined && isDrag(share)) actions.brush(start, share);
  });
  plot.addEventListener('pointerup', (event) => {
    const share = shareOf(event);
    if (start !== undefined && isDrag(share)) actions.zoom(start, share);
    else actions.point(share);
    end();
  });
  plot.addEventListener('pointercancel', end);
  plot.addEventListener('pointerleave', (event) => {
    if (event.pointerType === 'mouse' && start === undefined) actions.leave();
  });
  plot.addEventListener('dblclick', actions.reset);
}
