import { parseRange } from '../../results/interpretation/parse-range.ts';
import { FLAGS, type Value } from './value.ts';

type Values = (slug: string) => number;

/**
 * Results that laboratories compute from other results of the same report. We compute them too, because a reader would
 * notice values that do not match. Each result comes after the results that it needs. LDL comes from Friedewald's
 * formula (total cholesterol, HDL, triglycerides). Total cholesterol comes from the same formula, unless the client
 * asked for a certain total. A part must never be larger than its total.
 */
const COMPUTED: { slug: string; unlessAsked?: true; of: (value: Values) => number }[] = [
  {
    slug: 'total-cholesterol',
    unlessAsked: true,
    of: (value) => value('ldl-cholesterol-calculated') + value('hdl-cholesterol') + value('triglycerides') / 5,
  },
  {
    slug: 'ldl-cholesterol-calculated',
    of: (value) => value('total-cholesterol') - value('hdl-cholesterol') - value('triglycerides') / 5,
  },
  { slug: 'cholesterol-hdl-ratio', of: (value) => value('total-cholesterol') / value('hdl-cholesterol') },
  { slug: 'iron', unlessAsked: true, of: (value) => (value('tibc') * value('iron-saturation')) / 100 },
  { slug: 'iron-saturation', of: (value) => (value('iron') / value('tibc')) * 100 },
  { slug: 'vitamin-d3-25-oh', of: (value) => value('vitamin-d-25-oh') * 0.9 },
];

/**
 * Changes the computed results so that they match the other results, and returns all results. `asked` is the slug of
 * the result whose interpretation the client requested.
 */
export function withComputed(results: Value[], asked: string | null): Value[] {
  const computed = [...results];
  const positionOf = (slug: string): number =>
    computed.findIndex((result) => result.analyte_slug === slug && result.kind === 'numeric');
  const value: Values = (slug) => Number(computed[positionOf(slug)]?.text);
  for (const { slug, unlessAsked, of } of COMPUTED) {
    const at = positionOf(slug);
    const number = of(value);
    if (at === -1 || Number.isNaN(number) || (unlessAsked && slug === asked)) continue;
    computed[at] = withValue(computed[at] as Value, number);
  }
  return computed;
}

function withValue(result: Value, number: number): Value {
  const decimals = result.text.split('.')[1]?.length ?? 0;
  const text = number.toFixed(decimals);
  const { min = null, max = null } = parseRange(result.reference_range) ?? {};
  const outside = (max !== null && Number(text) > max) || (min !== null && Number(text) < min);
  const wasCritical = result.flags.includes(FLAGS.critical);
  return { ...result, text, flags: [FLAGS[outside ? (wasCritical ? 'critical' : 'abnormal') : 'normal']] };
}
