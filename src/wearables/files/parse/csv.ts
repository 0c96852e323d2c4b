// Tables of archives: CSV files of any length, a row at a time.
import { pipeline, Readable } from 'node:stream';
import { parse } from 'csv-parse';
import { ImportFailure } from '../failures.ts';

/** A row by the names of its columns; empty where there is none of that name. */
export type Row = (column: string) => string;

/** A cell may hold a list of its own; more than that is none of a table. */
const LONGEST_ROW = 1024 * 1024;

/**
 * Hands on each row below the header, which stands on line `headerLine`. Names of columns lose what stands before their last dot.
 * Throws file_broken where it is no table.
 */
export async function eachRow(
  chunks: AsyncIterable<Buffer>,
  headerLine: number,
  put: (row: Row) => void | Promise<void>,
): Promise<void> {
  const table = parse({
    bom: true,
    relax_column_count: true,
    relax_quotes: true,
    skip_empty_lines: true,
    max_record_size: LONGEST_ROW,
  });
  // An error of the source reaches the loop below as one of the rows.
  const rows = pipeline(Readable.from(chunks), table, () => undefined);
  let line = 0;
  let places = new Map<string, number>();
  try {
    for await (const cells of rows as AsyncIterable<string[]>) {
      line += 1;
      if (line < headerLine) continue;
      if (line === headerLine) places = new Map(cells.map((name, n) => [shortName(name), n]));
      else await put((column) => cells[places.get(column) ?? -1]?.trim() ?? '');
    }
  } catch (error) {
    throw error instanceof ImportFailure ? error : new ImportFailure('file_broken');
  }
}

const shortName = (name: string): string => name.trim().slice(name.trim().lastIndexOf('.') + 1);

/** Undefined of what is no number, and of nothing. */
export function numberIn(text: string): number | undefined {
  const value = text === '' ? NaN : Number(text);
  return Number.isFinite(value) ? value : undefined;
}

/** `+05:30`, `-0400`, `UTC+0200`: seconds east of UTC; null of anything else. */
export function offsetIn(text: string): number | null {
  const [, sign, hours, minutes] = /^(?:UTC)?([+-])(\d\d):?(\d\d)$/.exec(text) ?? [];
  if (sign === undefined) return null;
  const seconds = Number(hours) * 3_600 + Number(minutes) * 60;
  return sign === '-' ? -seconds : seconds;
}

/** A time of UTC, with or without saying so; null of what is none. */
export function utcIn(text: string): number | null {
  const [, day, clock] = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(?:Z|\+00:?00)?$/.exec(text) ?? [];
  const at = day === undefined ? NaN : Date.parse(`${day}T${clock}Z`);
  return Number.isNaN(at) ? null : at;
}
