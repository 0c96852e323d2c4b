// Reads the value in OBX-5, whose type is in OBX-2, and returns it as one text.
import type { Delimiters } from '@phial/hl7/escape';
import { textAt, wholeTextsAt, type Segment } from '@phial/hl7/message';
import { parseValue } from '../../../results/interpretation/parse-range.ts';
import type { Coding, Observation } from '../../../results/lab-report.ts';
import { ResultProblem } from './result-problem.ts';

type ValueOf = { kind: Observation['kind']; text: string; coded?: Coding[] };

/**
 * Reads a value. If `hasValue` is true, the function throws for an invalid number, because nobody would know what it
 * means.
 */
export function readValueOf(observation: Segment, hasValue: boolean, delimiters: Delimiters): ValueOf {
  const type = textAt(observation, 2).toUpperCase();
  const lines = wholeTextsAt(observation, 5, delimiters);
  switch (type) {
    case 'NM':
      return numberOf(lines, hasValue, textAt(observation, 6));
    case 'SN':
      return structuredOf(observation, lines, hasValue);
    case 'NR':
      return rangeOf(observation, hasValue);
    case 'CE':
    case 'CF':
    case 'CNE':
    case 'CWE':
      return codedOf(observation);
    case 'TX':
    case 'FT':
      return { kind: 'comment', text: lines.join('\n').trimEnd() };
    case 'ST':
    case 'IS':
    case 'ID':
    case 'DT':
    case 'TM':
    case 'TS':
    case 'DTM':
      return { kind: 'comment', text: stringOf(lines, delimiters) };
    case '':
      if (hasValue) throw new ResultProblem('value_not_of_type');
      return { kind: 'comment', text: stringOf(lines, delimiters) };
    default:
      throw new ResultProblem('value_not_of_type');
  }
}

/**
 * Returns a string as one line for each repetition. In HL7 `~` separates repetitions. If one of them is empty, the
 * laboratory meant the character `~` itself, for example in `~5`.
 */
const stringOf = (lines: string[], { repetition }: Delimiters): string =>
  lines.every((line) => line.trim() !== '') ? lines.join('\n').trim() : lines.join(repetition).trim();

/**
 * Reads a number, or one of the forms that laboratories send instead of a number: `<10`, `>= 5.0`, `10^3`, `1,250`,
 * `5.4 %`, `1:40`.
 */
function numberOf(lines: string[], hasValue: boolean, unit: string): ValueOf {
  const text = (lines[0] ?? '').trim();
  const isRight = lines.length === 1 && (parseValue(text, unit || null) !== null || TITER.test(text));
  if (hasValue && !isRight) throw new ResultProblem('value_not_of_type');
  return { kind: 'numeric', text };
}

const TITER = /^[<>]?=? ?1 ?: ?\d{1,7}$/;
const COMPARATORS: ReadonlyMap<string, string> = new Map([
  ['', ''],
  ['=', ''],
  ['<', '<'],
  ['>', '>'],
  ['<=', '<='],
  ['=<', '<='],
  ['>=', '>='],
  ['=>', '>='],
  ['<>', '<>'],
]);

/**
 * Reads the type SN (structured numeric), which has the components comparator, number, separator and number: `>^100` or
 * `^1^:^40`. Some laboratories write all of them into the first component.
 */
function structuredOf(observation: Segment, lines: string[], hasValue: boolean): ValueOf {
  const part = (component: number): string => textAt(observation, 5, { component });
  const [first, number, separator, second] = [1, 2, 3, 4].map(part) as [string, string, string, string];
  if (number === '' && separator === '' && second === '') return numberOf(lines, hasValue, '');
  const comparator = COMPARATORS.get(first.replaceAll(' ', ''));
  const isRight =
    comparator !== undefined && [number, second].every((text) => text === '' || parseValue(text) !== null);
  if (hasValue && (!isRight || number === '' || lines.length > 1)) throw new ResultProblem('value_not_of_type');
  const text = `${comparator ?? first}${number}${separator}${second}`;
  return { kind: comparator === '' && separator === '' ? 'numeric' : 'range', text };
}

/** Reads a range with its low and its high end. If an end is missing, the range is open at that end. */
function rangeOf(observation: Segment, hasValue: boolean): ValueOf {
  const [low, high] = [textAt(observation, 5), textAt(observation, 5, { component: 2 })];
  const text = low === '' ? `<=${high}` : high === '' ? `>=${low}` : `${low}-${high}`;
  if (hasValue && parseValue(text) === null) throw new ResultProblem('value_not_of_type');
  return { kind: 'range', text };
}

/** Reads the text of each code, or the code if it has no text. */
function codedOf(observation: Segment): ValueOf {
  const repetitions = (observation.fields[5] ?? []).map((_, at) => at + 1);
  const words = repetitions.map((repetition) => {
    const part = (component: number): string => textAt(observation, 5, { component, repetition });
    return part(2) || part(9) || part(5) || part(1) || part(4);
  });
  const coded = repetitions.flatMap((repetition) => codingsAt(observation, 5, repetition));
  return { kind: 'coded_value', text: words.filter((word) => word !== '').join('\n'), coded };
}

/**
 * Returns the codings of a coded field. The field may have two codings: one in the first three components, and one in
 * the next three.
 */
export function codingsAt(segment: Segment, field: number, repetition = 1): Coding[] {
  return [1, 4]
    .map((from) => {
      const part = (component: number): string => textAt(segment, field, { component, repetition });
      return { code: part(from), text: part(from + 1) || null, system: part(from + 2) || null };
    })
    .filter(({ code }) => code !== '');
}
