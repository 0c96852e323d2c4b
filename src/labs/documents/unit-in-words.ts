import { ownOf } from '../../wire/own.ts';

// Units as people read them. UCUM is for programs: its braces, brackets and stars tell a reader nothing.

/** Keeps two words on one line, where a blank would let a line end. */
const TIE = '\u202F';
/** OBX-6 is a few letters; what is longer is prose. */
const LONGEST = 60;

/** Units that take a prefix, as people write them. */
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
  // The Institute for Safe Medication Practices counts µg among what is read as mg by mistake.
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
 * `mL/min/{1.73_m2}` as `mL/min/1.73 m²`, `10*3/uL` as `10³/µL`, `u[IU]/mL` as `µIU/mL`, `{ratio}` as `ratio`. A text with any
 * part that is not known is the laboratory's own, and stays as it is.
 */
export function unitInWords(unit: string): string {
  // In UCUM a point multiplies; between two digits it is somebody's decimal point.
  if (unit.length > LONGEST || /^[^{}]*\d\.\d/.test(unit)) return unit;
  const parts = unit.match(/[./]|\(\d{1,3}\.[a-z]{1,3}\)|[^./{}()]*\{[^{}]*\}|[^./{}()]+/g) ?? [];
  const factors = parts[0] === '/' ? parts.slice(1) : parts;
  const isTerm = factors.length % 2 === 1 && factors.every((part, at) => isSign(part) === (at % 2 === 1));
  if (!isTerm || parts.join('') !== unit) return unit;
  const words = parts.map((part) => (part === '/' ? '/' : part === '.' ? '·' : factorInWords(part)));
  return words.includes(null) ? unit : words.join('');
}

const isSign = (part: string): boolean => part === '/' || part === '.';

/** One unit with its power, and what is said of it in braces. Null where it is not known. */
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
  [...power].map((sign) => ownOf(RAISED, sign) ?? '⁰¹²³⁴⁵⁶⁷⁸⁹'[Number(sign)]).join('');

/** A value that is kept together with its unit, such as `2.8 {ratio}`. `unit` is the one that the value has today. */
export function valueInWords(value: string, unit: string | null): string {
  const end = value.lastIndexOf(' ');
  if (end < 0) return value;
  const [before, last] = [value.slice(0, end), value.slice(end + 1)];
  return last === unit || /^[<>]?=?[\d.,+-]+$/.test(before) ? `${before} ${unitInWords(last)}` : value;
}
