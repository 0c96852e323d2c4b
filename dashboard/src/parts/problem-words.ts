// The problems of a refused input in words for people. The service writes them for programmers.
import { inWords } from './in-words.ts';

export type Problem = { type?: unknown; loc: readonly unknown[]; msg: string };

export const isProblem = (value: unknown): value is Problem =>
  typeof value === 'object' && value !== null && 'msg' in value && 'loc' in value && Array.isArray(value.loc);

/** How a field has to be written whose pattern says it to programmers only. */
const WRITTEN: Readonly<Record<string, string>> = {
  zip: 'Write 5 digits, or 9 as 85004-1234',
  state: 'Write two letters, such as AZ',
  npi: 'Write the 10 digits of the NPI',
  sample_id: 'Write letters, digits and hyphens only',
};

const nameOf = ({ loc }: Problem): string => String(loc.findLast((part) => typeof part === 'string') ?? '');

/** What a kind of problem means. Null where the service says it well enough. */
function meaningOf({ type, msg, loc }: Problem): string | null {
  const limit = /at (?:least|most) (\d+)/.exec(msg)?.[1];
  switch (type) {
    case 'missing':
      return msg === 'Field required' ? 'Fill this in' : null;
    case 'string_too_short':
      return limit === '1' ? 'Fill this in' : `Write at least ${limit} characters`;
    case 'string_too_long':
      return `Write at most ${limit} characters`;
    case 'string_pattern_mismatch':
      if (!msg.startsWith('String should match pattern')) return null;
      return WRITTEN[nameOf({ loc, msg })] ?? 'It cannot be written like this';
    case 'uuid_parsing':
      return 'This is no id';
    case 'date_parsing':
    case 'datetime_parsing':
      return msg.replace(/^Input should be /, 'Write ').replace(/ as (ISO 8601|YYYY-MM-DD)/, '');
    case 'enum':
      return 'Choose one';
    default:
      return null;
  }
}

/** The words beside a field. */
export const problemInWords = (problem: Problem): string => meaningOf(problem) ?? problem.msg;

/** The words where nothing else says of which field they are. */
export function problemWithField(problem: Problem): string {
  const meaning = meaningOf(problem);
  return meaning === null ? problem.msg : `${inWords(nameOf(problem))}: ${meaning}.`;
}

/** What does not exist, if the address of a page has an id that is none: "No such order". Null for other problems. */
export function noSuchThing(problems: readonly Problem[]): string | null {
  const [problem] = problems;
  const isOfPath = problem?.type === 'uuid_parsing' && problem.loc[0] === 'path';
  return isOfPath ? `No such ${nameOf(problem).replace(/_id$/, '').replaceAll('_', ' ')}` : null;
}
