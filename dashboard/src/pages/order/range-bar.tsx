import classes from './range-bar.module.css';

type Ranged = {
  result: string;
  type: string;
  min_range_value: number | null;
  max_range_value: number | null;
  interpretation: string;
};

/** Where a number lies beside its reference range. The text beside it says the same, so screen readers skip it. */
export function RangeBar({ result }: { result: Ranged }) {
  const value = Number(result.result);
  const { min_range_value: min, max_range_value: max } = result;
  if (result.type !== 'numeric' || !Number.isFinite(value) || (min === null && max === null)) return null;
  const share = scaleOf(min, max, value);
  const [from, to] = [min === null ? 0 : share(min), max === null ? 100 : share(max)];
  return (
    <svg className={classes['bar']} viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden focusable={false}>
      <rect x="0" y="3.5" width="100" height="3" rx="1.5" className={classes['scale']} />
      <rect x={from} y="3.5" width={to - from} height="3" className={classes['range']} />
      <rect
        x={Math.min(Math.max(share(value) - 1, 0), 98)}
        y="0"
        width="2"
        height="10"
        rx="1"
        className={classes['value']}
        data-meaning={result.interpretation}
      />
    </svg>
  );
}

/**
 * Returns where a number lies, in percent. A third of the scale lies on each side of the range. A range with one end
 * has this end in the middle, and goes to the border on its open side.
 */
function scaleOf(min: number | null, max: number | null, value: number): (at: number) => number {
  const bounded = (share: number): number => Math.min(Math.max(share, 0), 1) * 100;
  if (min !== null && max !== null) {
    const width = Math.max(max - min, Number.EPSILON);
    return (at) => bounded(((at - min) / width + 1) / 3);
  }
  const end = min ?? max ?? 0;
  const reach = Math.max(Math.abs(end), Math.abs(value - end), Number.EPSILON);
  return (at) => bounded((at - end) / (2 * reach) + 0.5);
}
