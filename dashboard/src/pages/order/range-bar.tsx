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
  // A third of the scale lies on each side of the range. A range with one end begins at zero or has no upper end.
  const low = min ?? Math.min(0, value);
  const high = max ?? Math.max(low * 2, value, low + 1);
  const width = Math.max(high - low, Number.EPSILON);
  const share = (at: number): number => Math.min(Math.max(((at - low) / width + 1) / 3, 0), 1) * 100;
  return (
    <svg className={classes['bar']} viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden focusable={false}>
      <rect x="0" y="3.5" width="100" height="3" rx="1.5" className={classes['scale']} />
      <rect x={share(low)} y="3.5" width={share(high) - share(low)} height="3" className={classes['range']} />
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
