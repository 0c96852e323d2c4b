import { ownProperty } from '../../wire/own-property.ts';

// Converts units of UCUM, the code for units in messages, to the form that people read. UCUM is for programs: it writes
// 10³/µL as `10*3/uL`.

/** A narrow no-break space, which keeps two words on one line. */
const TIE = '\u202F';
/** The most characters that we parse. A unit in OBX-6 is short, so a longer text is prose. */
const LONGEST = 60;

/** Units that can have a metric prefix, in the form that people write. */
const METRIC: Readonly<Record<string, string>> = {
  g: 'g',
  L: 'L',
  l: 'L',
  m: 'm',
  s: 's',
  mol: 'mol',
  eq: 'Eq',
  osm: 'Osm',
  U: 'U',
  '[IU]': 'IU',
  '[iU]': 'IU',
  kat: 'kat',
  Pa: 'Pa',
  Hz: 'Hz',
  J: 'J',
  cal: 'cal',
  'm[Hg]': 'mHg',
  'm[H2O]': 'mH₂O',
};
const PREFIXES: Readonly<Record<string, string>> = {
  k: 'k',
  d: 'd',
  c: 'c',
  m: 'm',
  u: 'µ',
  n: 'n',
  p: 'p',
  f: 'f',
  M: 'M',
  G: 'G',
};
const OTHERS: Readonly<Record<string, string>> = {
  // We print `mcg` and not `µg`, because people misread `µg` as `mg` (list of the Institute for Safe Medication
  // Practices).
  ug: 'mcg',
  '%': '%',
  min: 'min',
  h: 'h',
  d: 'day',
  wk: 'week',
  mo: 'month',
  a: 'year',
  Cel: '°C',
  '[degF]': '°F',
  deg: '°',
  '[pH]': 'pH',
  '[ppm]': 'ppm',
  '[ppb]': 'ppb',
  '[HPF]': 'HPF',
  '[LPF]': 'LPF',
  '[CFU]': 'CFU',
  '[PFU]': 'PFU',
  "[arb'U]": `arb.${TIE}U`,
  "[APL'U]": 'APL',
  "[GPL'U]": 'GPL',
  "[MPL'U]": 'MPL',
};
const KNOWN: ReadonlyMap<string, string> = new Map([
  ...Object.entries(METRIC).flatMap(([unit, words]) =>
    Object.entries(PREFIXES).map(([prefix, sign]): [string, string] => [prefix + unit, sign + words]),
  ),
  ...Object.entries(METRIC),
  ...Object.entries(OTHERS),
]);

/**
 * Returns a unit in the form that people read: `mL/min/1.73 m²` for `mL/min/{1.73_m2}`, `10³/µL` for `10*3/uL`,
 * `µIU/mL` for `u[IU]/mL`, and `ratio` for `{ratio}`. A text with an unknown part is a laboratory's own unit, and is
 * returned unchanged.
 */
export function unitInWords(unit: string): string {
  // In UCUM a point means multiplication. A point between two digits is a decimal point, so the text is not UCUM.
  if (unit.length > LONGEST || /^[^{}]*\d\.\d/.test(unit)) return unit;
  const parts = unit.match(/[./]|\(\d{1,3}\.[a-z]{1,3}\)|[^./{}()]*\{[^{}]*\}|[^./{}()]+/g) ?? [];
  const factors = parts[0] === '/' ? parts.slice(1) : parts;
  const isTerm = factors.length % 2 === 1 && factors.every((part, at) => isSign(part) === (at % 2 === 1));
  if (!isTerm || parts.join('') !== unit) return unit;
  const words = parts.map((part) => (part === '/' ? '/' : part === '.' ? '·' : factorInWords(part)));
  return words.includes(null) ? unit : words.join('');
}

const isSign = (part: string): boolean => part === '/' || part === '.';

/**
 * Returns one factor of a unit with its power and the note in its braces, for example `1.73 m²` for `{1.73_m2}`; null
 * if we do not know the unit.
 */
function factorInWords(factor: string): string | null {
  const [, count, time] = /^\((\d+)\.([a-z]+)\)$/.exec(factor) ?? [];
  if (count !== undefined) return KNOWN.has(time as string) ? `${count}${TIE}${KNOWN.get(time as string)}` : null;
  const [, symbol = '', , said] = /^([^{}]*)(\{(.*)\})?$/.exec(factor) ?? [];
  const unit = symbol === '' ? '' : symbolInWords(symbol);
  if (unit === null || said === undefined) return unit;
  if (!/^[\w.%'+-]+$/.test(said)) return null;
  const note = said.replace(/(?<=\d)_?m([23])$/, (_, power: string) => `${TIE}m${raised(power)}`).replaceAll('_', TIE);
  return unit === '' ? note : unit + TIE + note;
}

function symbolInWords(symbol: string): string | null {
  if (/^\d{1,4}$/.test(symbol)) return symbol;
  const [, ten] = /^10[*^]([+-]?\d{1,2})$/.exec(symbol) ?? [];
  if (ten !== undefined) return `10${raised(ten)}`;
  const [, name = '', power = ''] = /^(.*?)([+-]?\d)?$/.exec(symbol) ?? [];
  const words = KNOWN.get(name);
  return words === undefined ? null : words + raised(power);
}

const RAISED: Readonly<Record<string, string>> = { '-': '⁻', '+': '' };
const raised = (power: string): string =>
  [...power].map((sign) => ownProperty(RAISED, sign) ?? '⁰¹²³⁴⁵⁶⁷⁸⁹'[Number(sign)]).join('');

/**
 * Returns a value that is stored together with its unit, such as `2.8 {ratio}`, in the form that people read. `unit` is
 * the current unit of the value.
 */
export function valueInWords(value: string, unit: string | null): string {
  const end = value.lastIndexOf(' ');
  if (end < 0) return value;
  const [before, last] = [value.slice(0, end), value.slice(end + 1)];
  return last === unit || /^[<>]?=?[\d.,+-]+$/.test(before) ? `${before} ${unitInWords(last)}` : value;
}
