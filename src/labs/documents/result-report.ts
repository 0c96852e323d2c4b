import type { Static } from 'typebox';
import type { FoundResults } from '../results/found-results.ts';
import { ageInYears } from '../../wire/birth-date.ts';
import type { BiomarkerResult, MissingResult } from '../results/schemas.ts';
import type { OrderFacts } from './facts.ts';
import {
  banner,
  fields,
  finish,
  heading,
  openSheet,
  paragraph,
  section,
  table,
  tooLong,
  type Cell,
  type Sheet,
} from './paper/sheet.ts';
import { QUIET } from './paper/draw-text.ts';
import { unitInWords, valueInWords } from './unit-in-words.ts';
import { addressInWords, dayInWords, inWords, momentInWords } from './values-in-words.ts';

/**
 * The limit of a report's pages. An order may have 2,000 values, each with a few hundred characters of notes. Such a
 * report has some 150 pages. A page takes 15 to 45 ms, so the report takes a few seconds. The thread draws pages of
 * other documents in between.
 */
const MAX_PAGES = 300;
const MAX_CHARACTERS = 1_500_000;
const ABNORMAL = '#9a3b00';
const CRITICAL = '#a01212';
const CORRECTED = '#8a1c1c';

/**
 * Draws the results for the physician and the patient. The US rules for laboratory reports (42 CFR 493.1291) require
 * these items. (c): patient and number, performing laboratory, date of the report, test, specimen, result with unit and
 * interpretation, and problems of a specimen. (d): the reference intervals. (k): a mark at each corrected value, with
 * the earlier value. Throws document_too_long.
 */
export async function drawResultReport(facts: OrderFacts, results: FoundResults): Promise<Buffer> {
  refuseOverlong(results);
  const { order, sender } = facts;
  const { metadata } = results;
  const sheet = openSheet({
    title: 'Laboratory report',
    at: order.row.last_event_at,
    maxPages: MAX_PAGES,
  });
  const patient = order.row.patient_details;
  const name = patient ? `${patient.last_name}, ${patient.first_name}` : metadata.patient;
  heading(sheet, { from: sender.name, title: 'Laboratory report', lines: sender.lines });
  if (results.is_corrected)
    await banner(
      sheet,
      'CORRECTED REPORT: it replaces the earlier report.' +
        `${results.withdrawn.length > 0 ? ' Values were withdrawn.' : ''} ` +
        'Values marked CORRECTED have changed.',
    );
  else if (metadata.status === 'partial')
    await banner(sheet, 'PRELIMINARY REPORT: further results will follow.', QUIET);
  if (results.results.some(({ interpretation }) => interpretation === 'critical'))
    await banner(sheet, 'CRITICAL RESULT: please read the marked values at once.', CRITICAL);
  await section(sheet, 'Patient');
  await fields(
    sheet,
    [
      { label: 'Name (last, first)', value: name, bold: true },
      { label: 'Date of birth', value: patient && dayInWords(patient.dob) },
      { label: 'Sex', value: patient && inWords(patient.gender) },
      { label: 'Age at order', value: patient && String(ageInYears(patient.dob, Date.parse(order.row.created_at))) },
    ],
    [5, 2, 2, 1.5],
  );
  await fields(
    sheet,
    [
      { label: 'Patient ID', value: order.user.id },
      { label: 'Ordered by', value: physicianOf(facts) ?? 'Not named' },
    ],
    [5, 4],
  );
  await drawSpecimen(sheet, facts, results);
  await drawResults(results.results, sheet);
  await drawMissing(
    results.missing_results.filter(({ is_withdrawn }) => !is_withdrawn),
    sheet,
  );
  await drawWithdrawn(results, sheet);
  await drawLaboratories(facts, results, sheet);
  await paragraph(
    sheet,
    'Reference intervals are those of the laboratory. Results are read together with symptoms and history: please ' +
      'talk about them with a physician.',
    { size: 8, color: QUIET },
  );
  return finish(sheet, `${name}  ·  ${patient ? `born ${dayInWords(patient.dob)}  ·  ` : ''}Order ${order.row.id}`);
}

/** Throws document_too_long if the texts have too many characters. It counts them before anything is drawn. */
function refuseOverlong({ results, missing_results, withdrawn }: FoundResults): void {
  let characters = 0;
  for (const each of results) characters += each.name.length + each.result.length + (each.notes ?? '').length;
  for (const { name, note } of missing_results) characters += name.length + (note ?? '').length;
  for (const name of withdrawn) characters += name.length;
  if (characters > MAX_CHARACTERS) throw tooLong(`${MAX_CHARACTERS} characters`);
}

const physicianOf = ({ order: { row } }: OrderFacts): string | null =>
  row.physician && `${row.physician.first_name} ${row.physician.last_name}, NPI ${row.physician.npi}`;

async function drawSpecimen(
  sheet: Sheet,
  { order, zone }: OrderFacts,
  { metadata, sample_information, is_corrected }: FoundResults,
): Promise<void> {
  const samples = Object.values(sample_information ?? {});
  const first = (of: 'date_collected' | 'date_received' | 'date_reported'): string | null =>
    samples.map((sample) => sample[of]?.timestamp).find((time) => time !== undefined) ?? null;
  const moment = (of: 'date_collected' | 'date_received' | 'date_reported'): string => {
    const time = first(of) ?? metadata[of];
    return time === null ? 'Not stated' : momentInWords(time, zone);
  };
  await section(sheet, 'Specimen and report');
  await fields(
    sheet,
    [
      { label: 'Specimen number', value: metadata.specimen_number || (order.row.sample_id ?? 'Not stated') },
      { label: 'Specimen source', value: inWords(order.labTest.sample_type) },
      { label: 'Status of the report', value: is_corrected ? 'Corrected' : inWords(metadata.status) },
    ],
    [4, 3, 3],
  );
  await fields(
    sheet,
    [
      { label: 'Collected', value: moment('date_collected') },
      { label: 'Received', value: moment('date_received') },
      { label: 'Reported', value: moment('date_reported') },
    ],
    [4, 3, 3],
  );
}

async function drawResults(results: Static<typeof BiomarkerResult>[], sheet: Sheet): Promise<void> {
  await section(sheet, 'Results', 60);
  await table(
    sheet,
    [
      { title: 'Test', width: 6 },
      { title: 'Result', width: 2.6 },
      { title: 'Unit', width: 2.8 },
      { title: 'Reference interval', width: 3 },
      { title: 'Interpretation', width: 3 },
    ],
    results.map((result) => {
      const marked = markOf(result.interpretation);
      const cells: Cell[] = [
        result.name,
        { text: result.result, bold: true, ...(marked ? { color: marked } : {}) },
        { text: unitInWords(result.unit ?? ''), whole: true },
        valueInWords(result.reference_range ?? 'Not stated', result.unit),
        { text: wordOf(result), bold: marked !== null, ...(marked ? { color: marked } : {}) },
      ];
      const notes = notesOf(result);
      if (notes === '') return { cells };
      return { cells, note: result.status === 'corrected' ? { text: notes, bold: true, color: CORRECTED } : notes };
    }),
  );
}

const markOf = (interpretation: string): string | null =>
  interpretation === 'critical' ? CRITICAL : interpretation === 'abnormal' ? ABNORMAL : null;

function wordOf({ interpretation, is_above_max_range, is_below_min_range }: Static<typeof BiomarkerResult>): string {
  if (interpretation === 'unknown') return 'Not interpreted';
  // A laboratory may flag a value outside its own range as normal. We print the laboratory's flag, without "high" or
  // "low".
  if (interpretation === 'normal') return 'Normal';
  return inWords(interpretation) + (is_above_max_range ? ', high' : is_below_min_range ? ', low' : '');
}

function notesOf({ status, previous_result, notes, result, unit }: Static<typeof BiomarkerResult>): string {
  const correction =
    status === 'corrected'
      ? `CORRECTED${previous_result === null ? '' : `: reported before as ${valueInWords(previous_result, unit)}`}.`
      : status === 'partial'
        ? 'Preliminary.'
        : '';
  return [correction, notes === result ? '' : (notes ?? '')].filter(Boolean).join(' ');
}

/** Draws the tests without a result, each with the problem of its specimen. */
async function drawMissing(missing: Static<typeof MissingResult>[], sheet: Sheet): Promise<void> {
  if (missing.length === 0) return;
  await section(sheet, 'Not reported', 60);
  await table(
    sheet,
    [
      { title: 'Test', width: 5 },
      { title: 'Reason', width: 5 },
      { title: "Laboratory's note", width: 6 },
    ],
    missing.map(({ name, inferred_failure_type, note }) => ({
      cells: [name, inWords(inferred_failure_type), note ?? ''],
    })),
  );
}

/** Draws the values that the laboratory has withdrawn. A reader has to strike them out of an earlier report. */
async function drawWithdrawn({ withdrawn }: FoundResults, sheet: Sheet): Promise<void> {
  if (withdrawn.length === 0) return;
  await section(sheet, 'Withdrawn', 40);
  await paragraph(sheet, `The laboratory has withdrawn what it reported before of: ${withdrawn.join(', ')}.`, {
    size: 9.5,
    font: 'bold',
    color: CORRECTED,
  });
}

/**
 * Draws the laboratories that performed tests, with their addresses. The laboratory that got the order may have passed
 * all tests on to others. Then it comes last, as the laboratory that reports.
 */
async function drawLaboratories({ lab }: OrderFacts, results: FoundResults, sheet: Sheet): Promise<void> {
  await section(sheet, 'Performing laboratory');
  const performing = Object.values(results.sample_information ?? {}).flatMap((sample) =>
    Object.entries(sample.performing_laboratories ?? {}),
  );
  const others = new Map(
    performing.filter(([, { name }]) => name !== lab.name).map(([key, each]) => [each.name, { key, ...each }]),
  );
  const performers = new Set(results.results.map(({ performing_laboratory }) => performing_laboratory));
  const isPerformer = others.size === 0 || performers.has(lab.name);
  const director = performing.find(([, { name, medical_director }]) => name === lab.name && medical_director)?.[1]
    .medical_director;
  const ordered = [
    { label: isPerformer ? 'Laboratory' : 'Ordered from and reported by', value: lab.name },
    { label: 'Address', value: lab.address },
    { label: 'CLIA number', value: lab.clia_number ?? 'Not stated' },
    ...(director ? [{ label: 'Medical director', value: director }] : []),
  ];
  if (isPerformer) await fields(sheet, ordered, [3, 4, 2, 3].slice(0, ordered.length));
  for (const { key, name, address, medical_director } of others.values())
    await fields(
      sheet,
      [
        { label: 'Laboratory', value: name },
        { label: 'Address', value: address ? addressInWords(address) : 'Not stated' },
        ...(isCliaNumber(key) ? [{ label: 'CLIA number', value: key }] : []),
        { label: 'Medical director', value: medical_director ?? 'Not stated' },
      ],
      isCliaNumber(key) ? [3, 4, 2, 3] : [3, 4, 2],
    );
  if (!isPerformer) await fields(sheet, ordered, [3, 4, 2, 3].slice(0, ordered.length));
}

const isCliaNumber = (key: string): boolean => /^\d{2}D\d{7}$/.test(key);
