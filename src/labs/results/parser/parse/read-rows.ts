import { columnsOf, inColumns, type Columns } from './table-columns.ts';
import { isOfLaboratory } from './read-header.ts';
import type { Line } from './page-lines.ts';
import { LONGEST_TEXT, MAX_ROWS, MAX_UNREAD_LINES, type ReadReport, type ReadRow } from './read-report.ts';
import { readValue } from './values.ts';

/** Matches lines that end a table, and lines that pages repeat before and after a table. */
const END =
  /^(end of (the )?report|performing laborator|comments?\b|notes?:|disclaimer|page \d+|printed|electronically signed|\*\*)/i;
const LONGEST_PANEL = 80;

/**
 * Reads the rows of all tables in the sequence of the report. `unread` is the number of lines in tables that contain a
 * figure but that we could not read as a row.
 */
export function readRows(pages: Line[][]): Pick<ReadReport, 'rows' | 'unread' | 'unread_lines'> {
  const rows: ReadRow[] = [];
  const unread_lines: string[] = [];
  let unread = 0;
  let columns: Columns | null = null;
  let panel: string | null = null;
  let isInTable = false;
  for (const line of pages.flat()) {
    const header = columnsOf(line);
    if (header) {
      [columns, isInTable] = [header, true];
      continue;
    }
    const text = line.map((cell) => cell.text).join(' ');
    if (END.test(text)) {
      isInTable = /^page \d+/i.test(text) && isInTable;
      continue;
    }
    const row = columns && isInTable ? rowOf(line, columns, panel) : columns ? null : rowOfSentence(text);
    if (row && rows.length < MAX_ROWS) rows.push(row);
    else if (row || (isInTable && isLikeRow(line))) {
      unread += 1;
      if (unread_lines.length < MAX_UNREAD_LINES) unread_lines.push(text.slice(0, LONGEST_TEXT));
    } else if (isInTable && line.length === 1) {
      const last = rows.at(-1);
      // This line continues a name that was too long for one line.
      if (last && /^[([]/.test(text)) last.name = `${last.name} ${text}`.slice(0, LONGEST_TEXT);
      else if (!/[.:]$/.test(text)) panel = panelOf(text) ?? panel;
    }
    // Outside a table, a line may be the name of a panel, which is a group of tests, only if a table begins right after
    // it. Other lines are part of the page layout.
    else if (!isInTable) panel = line.length === 1 && !/[.:]/.test(text) ? panelOf(text) : null;
  }
  return { rows, unread, unread_lines };
}

const panelOf = (text: string): string | null => (text.length <= LONGEST_PANEL && !isOfLaboratory(text) ? text : null);

function rowOf(line: Line, columns: Columns, panel: string | null): ReadRow | null {
  const cells = inColumns(line, columns);
  if (!cells.name || !cells.value || !/\p{L}{2}/u.test(cells.name)) return null;
  const value = readValue(cells.value, cells.unit !== null);
  if (!value) return null;
  // If there is no column for units, the unit may follow the range.
  const range = cells.range === null ? null : splitRange(cells.range, cells.unit === null && value.unit === null);
  return {
    name: cells.name.slice(0, LONGEST_TEXT),
    value: value.text,
    unit: cells.unit ?? value.unit ?? range?.unit ?? null,
    range: range?.range ?? null,
    flag: cells.flag ?? value.flag ?? (cells.isOut ? 'A' : null),
    panel,
  };
}

/** Matches a line that contains one result, such as `Glucose: 95 mg/dL (Reference range: 70-99)`. */
const SENTENCE =
  /^(?<name>\p{L}[\p{L}\p{N} ,()/%+'-]{1,80}?)\s*[:=]\s*(?<value>(?:[<>]=?\s*)?-?\d[\d,.]*)\s*(?<unit>10[*^][^\s()[\]]{1,18}|[^\s\d()[\]][^\s()[\]]{0,19})?\s*(?<flag>\b[HL]\b)?\s*[([]\s*(?:ref(?:erence)?\.?|normal)?\s*(?:range|interval)?\s*:?\s*(?<range>[^()[\]]{1,60}?)\s*[)\]]\s*(?<flag2>[HL])?$/iu;

function rowOfSentence(text: string): ReadRow | null {
  if (text.length > LONGEST_TEXT) return null;
  const groups = SENTENCE.exec(text)?.groups;
  if (!groups || !/\d/.test(groups['range'] ?? '')) return null;
  const { range, unit } = splitRange(groups['range'] as string, groups['unit'] === undefined);
  return {
    name: groups['name'] as string,
    value: (groups['value'] as string).replaceAll(' ', ''),
    unit: groups['unit'] ?? unit,
    range,
    flag: groups['flag'] ?? groups['flag2'] ?? null,
    panel: null,
  };
}

/** Splits a text such as `0.40-4.50 mIU/L` into the range and its unit. */
function splitRange(text: string, mayHaveUnit: boolean): { range: string; unit: string | null } {
  const match = mayHaveUnit ? /^(.*\d)\s+([^\s\d<>=-]\S{0,19}|10[*^]\S{1,18})$/.exec(text) : null;
  return { range: (match?.[1] ?? text).slice(0, LONGEST_TEXT), unit: match?.[2] ?? null };
}

/**
 * Returns whether a line is probably a result: it has several cells, and one cell after the first begins with a figure.
 */
const isLikeRow = (line: Line): boolean =>
  line.length >= 2 && line.slice(1).some(({ text }) => /^[<>]?=?\s?\d/.test(text));
