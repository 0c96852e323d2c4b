import type { INTERPRETATIONS } from './schemas.ts';

export type Interpretation = (typeof INTERPRETATIONS)[number];

const SEVERITY: Record<Interpretation, number> = { normal: 0, unknown: 1, abnormal: 2, critical: 3 };

/** An order is as bad as its worst result; one without results is unknown. */
export function worstOf(interpretations: Interpretation[]): Interpretation {
  if (interpretations.length === 0) return 'unknown';
  return interpretations.reduce((worst, next) => (SEVERITY[next] > SEVERITY[worst] ? next : worst));
}

export type Bounds = { min: number | null; max: number | null };

/** The ends of a reference range in the forms of the catalogue: `<5.7`, `<=5.7`, `>3.0`, `>=40`, `2.6-24.9`. */
export function boundsOf(range: string | null): Bounds {
  const single = /^([<>]=?)(\d+(?:\.\d+)?)$/.exec(range ?? '');
  if (single) {
    const value = Number(single[2]);
    return (single[1] as string).startsWith('<') ? { min: null, max: value } : { min: value, max: null };
  }
  const double = /^(\d+(?:\.\d+)?)-(\d+(?:\.\d+)?)$/.exec(range ?? '');
  return double ? { min: Number(double[1]), max: Number(double[2]) } : { min: null, max: null };
}
