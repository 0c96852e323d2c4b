import type { Static } from 'typebox';
import type { BiomarkerResult } from '../../results/schemas.ts';

type Result = Static<typeof BiomarkerResult>;
type Values = (slug: string) => number;

/**
 * What laboratories compute from other results of the same report, each after its parts: whoever reads a report would
 * see if it did not fit. LDL by Friedewald's formula, turned to the total that its parts add up to where the total was
 * not what was asked for; a part of a whole is not more than it.
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

/** The results with what is computed put right; `asked` is the one whose value must stay. */
export function withComputed(results: Result[], asked: string | null): Result[] {
  const computed = [...results];
  const value: Values = (slug) =>
    computed.find((result) => result.slug === slug && result.type === 'numeric')?.value ?? NaN;
  for (const { slug, unlessAsked, of } of COMPUTED) {
    const at = computed.findIndex((result) => result.slug === slug && result.type === 'numeric');
    const number = of(value);
    if (at === -1 || Number.isNaN(number) || (unlessAsked && slug === asked)) continue;
    computed[at] = withValue(computed[at] as Result, number);
  }
  return computed;
}

function withValue(result: Result, number: number): Result {
  const decimals = result.result.split('.')[1]?.length ?? 0;
  const text = number.toFixed(decimals);
  const value = Number(text);
  const above = result.max_range_value === null ? null : value > result.max_range_value;
  const below = result.min_range_value === null ? null : value < result.min_range_value;
  const outside = above === true || below === true;
  const interpretation = outside ? (result.interpretation === 'critical' ? 'critical' : 'abnormal') : 'normal';
  return {
    ...result,
    value,
    result: text,
    is_above_max_range: above,
    is_below_min_range: below,
    interpretation,
    source_interpretation: { normal: 'N', abnormal: 'A', critical: 'AA' }[interpretation],
  };
}
