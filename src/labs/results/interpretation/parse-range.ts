// Reference ranges and results as laboratories write them, read into intervals of numbers.

/** The numbers from `min` to `max`; null is an open end. */
export type Interval = { min: number | null; minIncluded: boolean; max: number | null; maxIncluded: boolean };

/** Ranges are a few words at most (OBX-7 has 60 characters); what is longer is prose. */
const LONGEST = 120;
const NUMBER = String.raw`[+-]?(?:\d{1,15}(?:\.\d{1,20})?|\.\d{1,20})`;
const SINGLE = new RegExp(`^([<>]=?)(${NUMBER})$`);
const DOUBLE = new RegExp(`^(${NUMBER})-(${NUMBER})$`);
/** One number and nothing else. */
export const ALONE = new RegExp(`^${NUMBER}$`);

/**
 * A reference range such as `<5.7`, `< OR = 9.9`, `2.6-24.9` (both ends included), `-5.0 - +2.0` or `1,000–4,500 /uL`.
 * Null for what is not one interval of numbers for certain: words, `5-`, `<0.5 or >9`, several tiers, a comma that may
 * be a decimal one.
 */
export function parseRange(text: string | null, unit: string | null = null): Interval | null {
  const plain = plainOf(text ?? '', unit);
  return plain === null ? null : (parseSingle(plain) ?? parseDouble(plain));
}

/**
 * A result as the interval in which the value lies: one number, `<0.2`, `>=500`, `5-10` or `1.5x10^3`. Null for any
 * other text.
 */
export function parseValue(text: string, unit: string | null = null): Interval | null {
  const plain = plainOf(text, unit);
  if (plain === null) return null;
  if (ALONE.test(plain)) {
    const value = Number(plain);
    return { min: value, minIncluded: true, max: value, maxIncluded: true };
  }
  return parseSingle(plain) ?? parseDouble(plain);
}

/** A text without its unit, spaces, thousands separators and other ways of writing the same signs. */
export function plainOf(text: string, unit: string | null): string | null {
  if (text.length > LONGEST) return null;
  let plain = text.trim().replaceAll(/[\u2010-\u2015\u2212]/g, '-');
  if (unit && plain.toLowerCase().endsWith(unit.toLowerCase())) plain = plain.slice(0, -unit.length);
  plain = plain
    .replaceAll('\u2264', '<=')
    .replaceAll('\u2265', '>=')
    .replaceAll(/([<>]) {0,3}or {0,3}=/gi, '$1=')
    .replaceAll(/= ?([<>])/g, '$1=')
    .replaceAll(/(\d) {1,3}to {1,3}(?=[\d.+-])/gi, '$1-');
  // Spaces part a sign from its number and a dash from both; between two numbers they part what is not one.
  if (/[\d.] +[\d.]/.test(plain)) return null;
  plain = plain
    .replaceAll(/\s/g, '')
    .replaceAll(/(?<![\d,.])(\d{1,3}(?:,\d{3}){1,3})(?![\d,])/g, (number) => number.replaceAll(',', ''))
    .replaceAll(POWER, (_, ...parts: (string | undefined)[]) => {
      const [written = '1', ...exponents] = parts.slice(0, 4);
      return shifted(written, Number(exponents.find((exponent) => exponent !== undefined)));
    })
    // A number may end with its point (2.A.47 of HL7 v2.5.1).
    .replaceAll(/(\d)\.(?!\d)/g, '$1');
  return plain === '' || plain.includes(',') ? null : plain;
}

/** `1.5E3`, `1.5x10^3`, `10^3`, `2*10**-3`: a number with a power of ten. */
const EXPONENT = String.raw`([+-]?\d{1,2})`;
const TIMES_TEN = String.raw`10(?:\^|\*\*)${EXPONENT}`;
const POWER = new RegExp(
  String.raw`(?<![\w.])(?:(\d{1,15}(?:\.\d{0,15})?|\.\d{1,15})(?:E${EXPONENT}|[x\u00D7*]${TIMES_TEN})|${TIMES_TEN})(?![\d.])`,
  'gi',
);

/** The decimal number with its point moved, exactly as it was written: nothing is rounded. */
function shifted(written: string, places: number): string {
  const [whole = '', fraction = ''] = written.split('.');
  const digits = places < 0 ? '0'.repeat(-places) + whole + fraction : whole + fraction + '0'.repeat(places);
  const point = (places < 0 ? -places : 0) + whole.length + places;
  const moved = `${digits.slice(0, point) || '0'}.${digits.slice(point)}`;
  return moved.replace(/^0+(?=\d)/, '').replace(/\.0*$/, '');
}

function parseSingle(plain: string): Interval | null {
  const [, sign, number] = SINGLE.exec(plain) ?? [];
  if (!sign) return null;
  const included = sign.endsWith('=');
  return sign.startsWith('<')
    ? { min: null, minIncluded: false, max: Number(number), maxIncluded: included }
    : { min: Number(number), minIncluded: included, max: null, maxIncluded: false };
}

function parseDouble(plain: string): Interval | null {
  const [, from, to] = DOUBLE.exec(plain) ?? [];
  if (from === undefined) return null;
  const [min, max] = [Number(from), Number(to)];
  return min <= max ? { min, minIncluded: true, max, maxIncluded: true } : null;
}
