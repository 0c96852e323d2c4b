import { readDate } from './dates.ts';
import type { Cell, Line } from './page-lines.ts';
import type { ReadHeader } from './read-report.ts';

type Field = 'patient' | 'first' | 'last' | 'dob' | 'gender' | 'lab' | 'reported' | 'collected' | 'specimen';

/**
 * The labels that reports use for each field, in lower case. If one label begins with another label, the longer label
 * comes first.
 */
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
/** Other labels that reports print above values. None of them is a value itself. */
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
/** The maximum horizontal distance between a label and a value under it, in points. */
const ASIDE = 4;
/**
 * A value may have several lines under its label. These are the most lines, and the greatest distance between two of
 * them. The distance is a multiple of the distance between the label and the first line.
 */
const MAX_LINES_UNDER = 4;
const FURTHER = 1.3;
const LONGEST_NAME = 100;
/**
 * The number of lines that we read at the top of each page. A report repeats the patient there, and never needs more
 * lines for it.
 */
const MAX_LINES = 80;

/** Reads the facts about the report from its first pages. If a fact occurs several times, the first one is used. */
export function readHeader(pages: Line[][]): ReadHeader {
  const found = new Map<Field, string>();
  const lines = pages.flatMap((page) => page.slice(0, MAX_LINES)).slice(0, 4 * MAX_LINES);
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

/**
 * Returns the value of a label. It is usually in the next cell. If the next cell is a label too, the value is under its
 * label.
 */
function valueFor(line: Line, index: number, below: Line[]): string | undefined {
  const beside = line[index + 1]?.text;
  const isOfLabels = line.length > 1 && isLabel(line[index === 0 ? 1 : 0]?.text ?? '');
  return isOfLabels && (beside === undefined || isLabel(beside)) ? valueUnder(line[index] as Cell, below) : beside;
}

/**
 * Reads all lines of a value under its label. If we read only the first line of a long name, we would get a different
 * name.
 */
function valueUnder(label: Cell, below: Line[]): string | undefined {
  const texts: string[] = [];
  let [above, most] = [label, Infinity];
  for (const line of below.slice(0, MAX_LINES_UNDER)) {
    const cell = line.find(({ x }) => Math.abs(x - label.x) < ASIDE);
    if (!cell || above.y - cell.y > most) break;
    if (texts.length === 0) most = (above.y - cell.y) * FURTHER;
    texts.push(cell.text);
    above = cell;
  }
  return texts.length === 0 ? undefined : texts.join(' ');
}

/**
 * Finds labels with their values. One cell may contain several, such as `DOB: 04/12/1988 Sex: F`. If a cell contains
 * only a label, its value is in the next cell.
 */
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
  // The number of a specimen usually contains a digit. A number of 12 capitals may contain none. A shorter word without
  // digits may be a kind of specimen, such as SERUM.
  if (field === 'specimen') return /\d|^[A-Z]{12,}$/.test(value) && value.length <= 40;
  return value.length <= LONGEST_NAME;
}

/** Splits names such as `Palmer, Grace` and `Grace Palmer`. Words in the middle become part of the first name. */
function nameOf(text: string): { first: string | null; last: string | null } {
  const [last, first] = text.split(',').map((part) => part.trim());
  if (first) return { first, last: last || null };
  const words = text.split(' ').filter(Boolean);
  return words.length < 2
    ? { first: null, last: words[0] ?? null }
    : { first: words.slice(0, -1).join(' '), last: words.at(-1) ?? null };
}

/** Finds the name of the laboratory in the first lines of the page. We need it if no label names the laboratory. */
const letterhead = (page: Line[]): string | null =>
  page
    .slice(0, 5)
    .flat()
    .find(({ text }) => isOfLaboratory(text))?.text ?? null;

/** Returns whether a text is the name of a laboratory. It must not be the title of the report or a sentence. */
export const isOfLaboratory = (text: string): boolean =>
  /\b(laborator(y|ies)|labs?|diagnostics|pathology)\b/i.test(text) && !/report|results|:/i.test(text);

const cut = (text: string | null): string | null => text?.slice(0, LONGEST_NAME) ?? null;
