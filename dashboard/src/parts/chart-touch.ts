import type uPlot from 'uplot';

const isTouched = (): boolean => matchMedia('(pointer: coarse)').matches;

/** How to read one point of a chart, as the beginning of a sentence. */
export const pointAtOne = (): string => (isTouched() ? 'Touch one' : 'Point at one');

/** What fingers and the mouse do with a chart, in words. */
export const howToZoom = (): string =>
  isTouched() ? 'Pinch to zoom, drag to move, tap twice to see all.' : 'Drag to zoom, double-click to see all.';

type Touched = { x: number; width: number };

/** The middle of the fingers and how far they are apart, in pixels of the plot. */
function touchedBy(touches: TouchList, left: number): Touched {
  const xs = [...touches].map(({ clientX }) => clientX - left);
  const [least, most] = [Math.min(...xs), Math.max(...xs)];
  return { x: (least + most) / 2, width: most - least };
}

/** Lets two fingers zoom a chart, and one move it. uPlot itself knows only the mouse. */
export function followTouch(plot: uPlot): void {
  const { over } = plot;
  let before: Touched | null = null;
  const begin = ({ touches }: TouchEvent): void => {
    before = touches.length > 0 ? touchedBy(touches, over.getBoundingClientRect().left) : null;
  };
  const follow = (event: TouchEvent): void => {
    const { min, max } = plot.scales['x'] ?? {};
    if (!before || min == null || max == null) return;
    const now = touchedBy(event.touches, over.getBoundingClientRect().left);
    const zoom = before.width > 0 && now.width > 0 ? before.width / now.width : 1;
    const range = (max - min) * zoom;
    // What was beneath the fingers stays beneath them.
    const held = min + (before.x / over.clientWidth) * (max - min);
    const begins = held - (now.x / over.clientWidth) * range;
    before = now;
    plot.setScale('x', { min: begins, max: begins + range });
  };
  over.addEventListener('touchstart', begin, { passive: true });
  over.addEventListener('touchmove', follow, { passive: true });
  over.addEventListener('touchend', begin, { passive: true });
}
