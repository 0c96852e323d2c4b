import { readDate } from './dates.ts';
import type { Line } from './lines.ts';
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
  ['patient', ['patient name', 'name of patient', 'patient', 'name']],
];
const LONGEST_NAME = 100;
/** A report tells of its patient on each page; more lines than these are no head. */
const MOST_LINES = 80;

/** Of the first pages, where each fact stands first. */
export function readHeader(pages: Line[][]): ReadHeader {
  const found = new Map<Field, string>();
  const lines = pages.flatMap((page) => page.slice(0, MOST_LINES)).slice(0, 4 * MOST_LINES);
  for (const line of lines) {
    for (const [index, { text }] of line.entries()) {
      for (const [field, value] of pairsOf(text, line[index + 1]?.text)) {
        if (!found.has(field) && isPlausible(field, value)) found.set(field, value);
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
    .find(
      ({ text }) => /\b(laborator(y|ies)|labs?|diagnostics|pathology)\b/i.test(text) && !/report|results|:/i.test(text),
    )?.text ?? null;

const cut = (text: string | null): string | null => text?.slice(0, LONGEST_NAME) ?? null;
