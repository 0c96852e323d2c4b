import { parseRange } from '../../results/interpretation/parse-range.ts';
import { FLAGS, type Value } from './value.ts';

type Computed = {
  slug: string;
  /** The results that it is computed from. */
  from: string[];
  of: (...from: number[]) => number;
  /** Whether the value comes from the formula only where the client asked for no certain value of it. */
  unlessAsked?: true;
};

/**
 * Results that laboratories compute from other results of the same report. We compute them too, because a reader would
 * notice values that do not match. Each result comes after the results that it needs. LDL comes from Friedewald's
 * formula (total cholesterol, HDL, triglycerides). Total cholesterol comes from the same formula, unless the client
 * asked for a certain total. A part must never be larger than its total.
 */
const COMPUTED: Computed[] = [
  {
    slug: 'total-cholesterol',
    from: ['ldl-cholesterol-calculated', 'hdl-cholesterol', 'triglycerides'],
    of: (ldl, hdl, triglycerides) => ldl + hdl + triglycerides / 5,
    unlessAsked: true,
  },
  {
    slug: 'ldl-cholesterol-calculated',
    from: ['total-cholesterol', 'hdl-cholesterol', 'triglycerides'],
    of: (total, hdl, triglycerides) => total - hdl - triglycerides / 5,
  },
  {
    slug: 'cholesterol-hdl-ratio',
    from: ['total-cholesterol', 'hdl-cholesterol'],
    of: (total, hdl) => total / hdl,
  },
  {
    slug: 'iron',
    from: ['tibc', 'iron-saturation'],
    of: (tibc, saturation) => (tibc * saturation) / 100,
    unlessAsked: true,
  },
  { slug: 'iron-saturation', from: ['iron', 'tibc'], of: (iron, tibc) => (iron / tibc) * 100 },
  { slug: 'vitamin-d3-25-oh', from: ['vitamin-d-25-oh'], of: (total) => total * 0.9 },
];

/**
 * Changes the computed results so that they match the other results, and returns all results. `asked` is the slug of
 * the result whose interpretation the client requested.
 */
export function withComputed(results: Value[], asked: string | null): Value[] {
  const computed = [...results];
  const positionOf = (slug: string): number =>
    computed.findIndex((result) => result.analyte_slug === slug && result.kind === 'numeric');
  for (const { slug, from, of, unlessAsked } of COMPUTED) {
    const at = positionOf(slug);
    const number = of(...from.map((part) => Number(computed[positionOf(part)]?.text)));
    if (at === -1 || Number.isNaN(number) || (unlessAsked && slug === asked)) continue;
    const result = computed[at] as Value;
    // The product of two normal values may lie outside of the range. The results that follow match the value within.
    const isFree = unlessAsked && !from.includes(asked ?? '');
    computed[at] = withValue(result, isFree ? withinRange(result, number) : number);
  }
  return computed;
}

function withinRange({ reference_range }: Value, number: number): number {
  const { min = null, max = null } = parseRange(reference_range) ?? {};
  return Math.min(Math.max(number, min ?? -Infinity), max ?? Infinity);
}

function withValue(result: Value, number: number): Value {
  const decimals = result.text.split('.')[1]?.length ?? 0;
  const text = number.toFixed(decimals);
  const { min = null, max = null } = parseRange(result.reference_range) ?? {};
  const outside = (max !== null && Number(text) > max) || (min !== null && Number(text) < min);
  const wasCritical = result.flags.includes(FLAGS.critical);
  return { ...result, text, flags: [FLAGS[outside ? (wasCritical ? 'critical' : 'abnormal') : 'normal']] };
}
