// Parses reference ranges and results, in the forms that laboratories write, into intervals of numbers: `<5.7` is
// everything below 5.7.

/** The interval from `min` to `max`. null means that the interval has no limit on this side. */
export type Interval = { min: number | null; minIncluded: boolean; max: number | null; maxIncluded: boolean };

/**
 * The maximum length of a text that we parse. A range consists of a few words at most (OBX-7 has 60 characters). A
 * longer text is prose.
 */
const LONGEST = 120;
const NUMBER = String.raw`[+-]?(?:\d{1,15}(?:\.\d{1,20})?|\.\d{1,20})`;
const SINGLE = new RegExp(`^([<>]=?)(${NUMBER})$`);
const DOUBLE = new RegExp(`^(${NUMBER})-(${NUMBER})$`);
/** Matches a text that is exactly one number. */
export const ALONE = new RegExp(`^${NUMBER}$`);

/**
 * Parses a reference range such as `<5.7`, `< OR = 9.9`, `2.6-24.9` (both ends included), `-5.0 - +2.0` or `1,000–4,500
 * /uL`. Returns null for a text that is not certainly a single interval of numbers. Examples are words, `5-`, `<0.5 or
 * >9`, a list of several ranges, or a number with a comma that may be a decimal comma.
 */
export function parseRange(text: string | null, unit: string | null = null): Interval | null {
  const plain = plainOf(text ?? '', unit);
  return plain === null ? null : (parseSingle(plain) ?? parseDouble(plain));
}

/**
 * Parses a result into the interval in which the value lies. The result may be one number, `<0.2`, `>=500`, `5-10` or
 * `1.5x10^3`. Returns null for any other text.
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

/**
 * Returns a text without its unit, spaces and thousands separators. Signs that look alike, such as the different
 * dashes, become the same sign.
 */
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
  // A space may be between a sign and its number, or on both sides of a dash. A space between two digits means that the
  // text is not one number.
  if (/[\d.] +[\d.]/.test(plain)) return null;
  plain = plain
    .replaceAll(/\s/g, '')
    .replaceAll(/(?<![\d,.])(\d{1,3}(?:,\d{3}){1,3})(?![\d,])/g, (number) => number.replaceAll(',', ''))
    .replaceAll(POWER, (_, ...parts: (string | undefined)[]) => {
      const [written = '1', ...exponents] = parts.slice(0, 4);
      return shifted(written, Number(exponents.find((exponent) => exponent !== undefined)));
    })
    // The last character of a number may be its decimal point (2.A.47 of HL7 v2.5.1).
    .replaceAll(/(\d)\.(?!\d)/g, '$1');
  return plain === '' || plain.includes(',') ? null : plain;
}

/** A number with a power of ten, such as `1.5E3`, `1.5x10^3`, `10^3` or `2*10**-3`. */
const EXPONENT = String.raw`([+-]?\d{1,2})`;
const TIMES_TEN = String.raw`10(?:\^|\*\*)${EXPONENT}`;
const POWER = new RegExp(
  String.raw`(?<![\w.])(?:(\d{1,15}(?:\.\d{0,15})?|\.\d{1,15})(?:E${EXPONENT}|[x\u00D7*]${TIMES_TEN})|${TIMES_TEN})(?![\d.])`,
  'gi',
);

/** Moves the decimal point of a number. All digits stay as the laboratory wrote them, so that nothing is rounded. */
function shifted(written: string, shift: number): string {
  const [whole = '', fraction = ''] = written.split('.');
  const digits = shift < 0 ? '0'.repeat(-shift) + whole + fraction : whole + fraction + '0'.repeat(shift);
  const point = (shift < 0 ? -shift : 0) + whole.length + shift;
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

/** Returns true for two numbers of which the first is above the second, such as `99-70`. */
export function isReversed(text: string, unit: string | null): boolean {
  const [, from, to] = DOUBLE.exec(plainOf(text, unit) ?? '') ?? [];
  return from !== undefined && Number(from) > Number(to);
}

function parseDouble(plain: string): Interval | null {
  const [, from, to] = DOUBLE.exec(plain) ?? [];
  if (from === undefined) return null;
  const [min, max] = [Number(from), Number(to)];
  return min <= max ? { min, minIncluded: true, max, maxIncluded: true } : null;
}
