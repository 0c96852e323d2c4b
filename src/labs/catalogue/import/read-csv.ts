import { CsvError, parse } from 'csv-parse/sync';
import { Value } from 'typebox/value';
import { MarkerInFile, type Laboratory } from './laboratory-file.ts';

type Marker = Laboratory['markers'][number];
type Analyte = Marker['analytes'][number];

/**
 * The columns of a compendium, which is a laboratory's list of tests. Each line is one value that the laboratory
 * reports, together with the marker that contains the value.
 */
const OF_MARKER = {
  provider_id: 'text',
  marker_slug: 'text',
  marker_name: 'text',
  marker_type: 'text',
  description: 'text',
  price: 'text',
  a_la_carte_enabled: 'boolean',
  common_tat_days: 'number',
  worst_case_tat_days: 'number',
} as const;
const OF_ANALYTE = {
  code: 'text',
  analyte_slug: 'text',
  analyte_name: 'text',
  loinc_code: 'text',
  unit: 'text',
  result_type: 'text',
  required: 'boolean',
  normal_words: 'words',
  abnormal_words: 'words',
} as const;
type Kind = 'text' | 'boolean' | 'number' | 'words';
type Cell = string | number | boolean | string[];
const COLUMNS: Readonly<Record<string, Kind>> = { ...OF_MARKER, ...OF_ANALYTE };
const NEEDED = ['provider_id', 'marker_slug', 'marker_name', 'code', 'analyte_slug', 'analyte_name'];

/** Maps a column to the field name in a laboratory's file. */
const NAMES = new Map([
  ['marker_slug', 'slug'],
  ['marker_name', 'name'],
  ['marker_type', 'type'],
  ['analyte_slug', 'slug'],
  ['analyte_name', 'name'],
]);

const MAX_CSV_BYTES = 16 * 1024 * 1024;
const MAX_LINES = 100_000;
const MAX_MARKERS = 5_000;
const MAX_LINE_LETTERS = 10_000;
/** The most problems that the result lists. One more entry gives the number of the remaining problems. */
const MAX_PROBLEMS = 200;

type Line = { at: number; cells: Map<string, string> };

/**
 * Reads the markers of a compendium. If the file has problems, the function returns those instead. A problem that
 * belongs to a line has the line's number.
 */
export function readCompendium(bytes: Buffer): { markers: Marker[] } | { problems: string[] } {
  const read = linesOf(bytes);
  if ('problems' in read) return read;
  const problems: string[] = [];
  const markers = new Map<string, { at: number; words: string; marker: Marker; codes: Set<string> }>();
  for (const line of read.lines) {
    const wrong = NEEDED.filter((name) => !line.cells.get(name)).map((name) => `${name} is empty`);
    const [ofMarker, ofAnalyte] = [valuesOf(line, OF_MARKER, wrong), valuesOf(line, OF_ANALYTE, wrong)];
    const provider = String(ofMarker['provider_id'] ?? '');
    const words = JSON.stringify(ofMarker);
    const known = markers.get(provider);
    if (known && known.words !== words) wrong.push(`says something else about ${provider} than line ${known.at}`);
    const code = String(ofAnalyte['code'] ?? '');
    if (known?.codes.has(code)) wrong.push(`repeats the code ${code} of ${provider}`);
    const analyte = ofAnalyte as unknown as Analyte;
    const alone = { ...ofMarker, analytes: [analyte] };
    if (wrong.length === 0) wrong.push(...shapeProblems(alone));
    problems.push(...wrong.map((what) => `line ${line.at}: ${what}`));
    if (wrong.length > 0) continue;
    if (known) {
      known.marker.analytes.push(analyte);
      known.codes.add(code);
    } else markers.set(provider, { at: line.at, words, marker: alone as Marker, codes: new Set([code]) });
  }
  for (const [provider, { at, marker }] of markers)
    if (marker.analytes.length > 200) problems.push(`line ${at}: ${provider} has more than 200 values`);
  if (markers.size > MAX_MARKERS) problems.push(`the file has more than ${MAX_MARKERS} markers`);
  if (problems.length === 0) return { markers: [...markers.values()].map(({ marker }) => marker) };
  const more = problems.length - MAX_PROBLEMS;
  return { problems: [...problems.slice(0, MAX_PROBLEMS), ...(more > 0 ? [`and ${more} more problems`] : [])] };
}

function shapeProblems(marker: object): string[] {
  if (Value.Check(MarkerInFile, marker)) return [];
  return [...Value.Errors(MarkerInFile, marker)].map(
    ({ instancePath, message }) => `${columnAt(instancePath)} ${message}`,
  );
}

/** Returns the column for a path of the schema: `analyte_slug` for `/analytes/0/slug`, `marker_slug` for `/slug`. */
function columnAt(path: string): string {
  const isAnalyte = path.startsWith('/analytes/0/');
  const name = path.split('/').at(-1) ?? '';
  const of = isAnalyte ? Object.keys(OF_ANALYTE) : Object.keys(OF_MARKER);
  return of.find((column) => (NAMES.get(column) ?? column) === name) ?? name;
}

function linesOf(bytes: Buffer): { lines: Line[] } | { problems: string[] } {
  if (bytes.length > MAX_CSV_BYTES) return { problems: ['the file is larger than 16 MiB'] };
  let rows: { record: string[]; info: { lines: number } }[];
  try {
    rows = parse(bytes, {
      bom: true,
      info: true,
      relax_column_count: true,
      skip_empty_lines: true,
      trim: true,
      max_record_size: MAX_LINE_LETTERS,
      to: MAX_LINES + 2,
    }) as never;
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    const at = (error as unknown as { lines?: number }).lines;
    return { problems: [`${at === undefined ? 'the file' : `line ${at}`}: is no CSV (${error.code})`] };
  }
  const [head, ...body] = rows;
  if (!head || body.length === 0)
    return { problems: ['the file needs a line of column names and at least one line of values'] };
  if (body.length > MAX_LINES) return { problems: [`the file has more than ${MAX_LINES} lines`] };
  const names = head.record;
  const problems = [
    ...names
      .filter((name) => !Object.hasOwn(COLUMNS, name))
      .map((name) => `${JSON.stringify(name.slice(0, 50))} is no column`),
    ...names
      .filter((name, at) => names.indexOf(name) !== at)
      .map((name) => `the column ${name.slice(0, 50)} appears twice`),
    ...NEEDED.filter((name) => !names.includes(name)).map((name) => `the column ${name} is missing`),
    ...body.flatMap(({ record, info }) =>
      record.length === names.length
        ? []
        : [`line ${info.lines}: has ${record.length} values instead of ${names.length}`],
    ),
  ];
  if (problems.length > 0) return { problems: problems.slice(0, MAX_PROBLEMS) };
  const lines = body.map(({ record, info }) => ({
    at: info.lines,
    cells: new Map(record.map((value, at) => [names[at] as string, value])),
  }));
  return { lines };
}

/**
 * Returns the values of a line under the field names of a laboratory's file. Empty cells are missing from the result.
 */
function valuesOf({ cells }: Line, columns: Readonly<Record<string, Kind>>, wrong: string[]): Record<string, Cell> {
  const values: [string, Cell][] = [];
  for (const [column, kind] of Object.entries(columns)) {
    const text = cells.get(column) ?? '';
    if (text === '') continue;
    const name = NAMES.get(column) ?? column;
    if (kind === 'text') values.push([name, text]);
    else if (kind === 'words') values.push([name, text.split(';').map((word) => word.trim())]);
    else if (kind === 'number' && /^\d{1,4}$/.test(text)) values.push([name, Number(text)]);
    else if (kind === 'boolean' && ['true', 'false'].includes(text.toLowerCase()))
      values.push([name, text.toLowerCase() === 'true']);
    else wrong.push(`${column} must be ${kind === 'number' ? 'a whole number' : 'true or false'}`);
  }
  return Object.fromEntries(values);
}
