import { readDate } from './dates.ts';
import type { Cell, Line } from './lines.ts';
import type { ReadHeader } from './record.ts';

type Field = 'patient' | 'first' | 'last' | 'dob' | 'gender' | 'lab' | 'reported' | 'collected' | 'specimen';

/** What reports call it, in small letters; the longer ones first where one begins as another. */
const LABELS: [Field, string[]][] = [
  ['first', ['patient first name', 'first name', 'given name']],
  ['last', ['patient last name', 'last name', 'family name', 'surname']],
  [
    'dob',
    ['patient date of birth', 'date of birth', 'birth date', 'birthdate', 'patient dob', 'dob', 'd.o.b.', 'born'],
  ],
  ['gender', ['gender', 'sex']],
  [
    'collected',
    ['date collected', 'collection date', 'date of collection', 'collected on', 'collected', 'date drawn', 'drawn'],
  ],
  ['reported', ['date reported', 'report date', 'date of report', 'reported on', 'reported', 'date issued']],
  [
    'specimen',
    [
      'specimen number',
      'specimen id',
      'specimen no',
      'specimen #',
      'specimen',
      'accession number',
      'accession no',
      'accession #',
      'accession',
      'sample id',
      'sample number',
      'lab no',
    ],
  ],
  ['lab', ['performing laboratory', 'laboratory name', 'lab name', 'laboratory', 'performing lab']],
  ['patient', ['patient name', 'name (last, first)', 'name of patient', 'patient', 'name']],
];
/** What else stands above a value of its own, and is none itself. */
const OTHER_LABELS: ReadonlySet<string> = new Set([
  'address',
  'age',
  'age at order',
  'clia number',
  'clia',
  'medical director',
  'ordered by',
  'ordering physician',
  'patient id',
  'phone',
  'physician',
  'received',
  'specimen source',
  'status',
  'status of the report',
  'telephone',
]);
const EVERY_LABEL: ReadonlySet<string> = new Set([...OTHER_LABELS, ...LABELS.flatMap(([, labels]) => labels)]);
const isLabel = (text: string): boolean => EVERY_LABEL.has(text.toLowerCase().replace(/:$/, ''));
/** Points by which what stands under a label may be beside it. */
const ASIDE = 4;
/** A value under a label takes no more lines; the next of them is hardly further than the first is from its label. */
const MOST_LINES_UNDER = 4;
const FURTHER = 1.3;
const LONGEST_NAME = 100;
/** A report tells of its patient on each page; more lines than these are no head. */
const MOST_LINES = 80;

/** Of the first pages, where each fact stands first. */
export function readHeader(pages: Line[][]): ReadHeader {
  const found = new Map<Field, string>();
  const lines = pages.flatMap((page) => page.slice(0, MOST_LINES)).slice(0, 4 * MOST_LINES);
  for (const [at, line] of lines.entries()) {
    for (const [index, cell] of line.entries()) {
      for (const [field, value] of pairsOf(cell.text, valueFor(line, index, lines.slice(at + 1)))) {
        if (!found.has(field) && !isLabel(value) && isPlausible(field, value)) found.set(field, value);
      }
    }
  }
  const name = nameOf(found.get('patient') ?? '');
  const gender = /^(m|f)(ale|emale)?\b/i.exec(found.get('gender') ?? '')?.[1]?.toLowerCase();
  return {
    patient_first_name: cut(found.get('first') ?? name.first),
    patient_last_name: cut(found.get('last') ?? name.last),
    dob: readDate(found.get('dob') ?? ''),
    gender: gender === 'm' ? 'male' : gender === 'f' ? 'female' : null,
    lab_name: cut(found.get('lab') ?? letterhead(pages[0] ?? [])),
    date_reported: readDate(found.get('reported') ?? ''),
    date_collected: readDate(found.get('collected') ?? ''),
    specimen_number: cut(found.get('specimen') ?? null),
  };
}

/** Beside a label, or under it where labels stand beside one another. */
function valueFor(line: Line, index: number, below: Line[]): string | undefined {
  const beside = line[index + 1]?.text;
  const isOfLabels = line.length > 1 && isLabel(line[index === 0 ? 1 : 0]?.text ?? '');
  return isOfLabels && (beside === undefined || isLabel(beside)) ? valueUnder(line[index] as Cell, below) : beside;
}

/** All lines of it: a name that is cut at a line's end would be another name. */
function valueUnder(label: Cell, below: Line[]): string | undefined {
  const texts: string[] = [];
  let [above, most] = [label, Infinity];
  for (const line of below.slice(0, MOST_LINES_UNDER)) {
    const cell = line.find(({ x }) => Math.abs(x - label.x) < ASIDE);
    if (!cell || above.y - cell.y > most) break;
    if (texts.length === 0) most = (above.y - cell.y) * FURTHER;
    texts.push(cell.text);
    above = cell;
  }
  return texts.length === 0 ? undefined : texts.join(' ');
}

/** `DOB: 04/12/1988 Sex: F` in one cell, or a label whose value is the next cell. */
function pairsOf(text: string, next: string | undefined): [Field, string][] {
  const small = text.toLowerCase();
  const at: { field: Field; from: number; to: number }[] = [];
  for (const [field, labels] of LABELS) {
    const label = labels.find((each) => small === each || small === `${each}:`);
    if (label) return next === undefined ? [] : [[field, next]];
    for (const each of labels) {
      const from = small.indexOf(`${each}:`);
      const isWord = from === 0 || (from > 0 && small[from - 1] === ' ');
      const to = from + each.length + 1;
      if (isWord && !at.some((other) => from < other.to && to > other.from)) at.push({ field, from, to });
    }
  }
  const ordered = at.toSorted((a, b) => a.from - b.from);
  return ordered.flatMap(({ field, to }, index): [Field, string][] => {
    const value = text.slice(to, ordered[index + 1]?.from).trim();
    if (value !== '') return [[field, value]];
    return index === ordered.length - 1 && next !== undefined ? [[field, next]] : [];
  });
}

function isPlausible(field: Field, value: string): boolean {
  if (field === 'dob' || field === 'collected' || field === 'reported') return readDate(value) !== null;
  if (field === 'patient' || field === 'first' || field === 'last')
    return /^\p{L}[\p{L}\p{M} .,'-]{0,98}$/u.test(value);
  if (field === 'gender') return /^(m|f|male|female)\b/i.test(value);
  if (field === 'specimen') return /\d/.test(value) && value.length <= 40;
  return value.length <= LONGEST_NAME;
}

/** `Palmer, Grace` and `Grace Palmer`; what stands between is taken for a second first name. */
function nameOf(text: string): { first: string | null; last: string | null } {
  const [last, first] = text.split(',').map((part) => part.trim());
  if (first) return { first, last: last || null };
  const words = text.split(' ').filter(Boolean);
  return words.length < 2
    ? { first: null, last: words[0] ?? null }
    : { first: words.slice(0, -1).join(' '), last: words.at(-1) ?? null };
}

/** A laboratory without a label stands at the head of its paper. */
const letterhead = (page: Line[]): string | null =>
  page
    .slice(0, 5)
    .flat()
    .find(({ text }) => isOfLaboratory(text))?.text ?? null;

/** The name of a laboratory, and neither the title of its paper nor a sentence. */
export const isOfLaboratory = (text: string): boolean =>
  /\b(laborator(y|ies)|labs?|diagnostics|pathology)\b/i.test(text) && !/report|results|:/i.test(text);

const cut = (text: string | null): string | null => text?.slice(0, LONGEST_NAME) ?? null;
