// CSV tables of archives. They can be of any length, so we read them row by row.
import { pipeline, Readable } from 'node:stream';
import { parse } from 'csv-parse';
import { ImportFailure } from '../failures.ts';

/** Returns the cell of the column with this name; an empty text if there is no such column. */
export type Row = (column: string) => string;

/** The longest row that we accept, in characters. A cell may contain a list. */
const LONGEST_ROW = 1024 * 1024;

/**
 * Calls `put` for each row below the header. `headerLine` is the number of the header's line. The name of a column is
 * only the part after the last dot: `start_time` for `com.samsung.heart_rate.start_time`. Throws file_broken if the
 * file is no table.
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
  // An error of the source also makes the loop below throw. So this callback can ignore it.
  const rows = pipeline(Readable.from(chunks), table, () => undefined);
  let line = 0;
  let indexes = new Map<string, number>();
  try {
    for await (const cells of rows as AsyncIterable<string[]>) {
      line += 1;
      if (line < headerLine) continue;
      if (line === headerLine) indexes = new Map(cells.map((name, n) => [shortName(name), n]));
      else await put((column) => cells[indexes.get(column) ?? -1]?.trim() ?? '');
    }
  } catch (error) {
    throw error instanceof ImportFailure ? error : new ImportFailure('file_broken');
  }
}

const shortName = (name: string): string => name.trim().slice(name.trim().lastIndexOf('.') + 1);

/** Returns the number in a text; undefined if the text is empty or not a number. */
export function numberIn(text: string): number | undefined {
  const value = text === '' ? NaN : Number(text);
  return Number.isFinite(value) ? value : undefined;
}

/** Parses a text like `+05:30`, `-0400` or `UTC+0200` into seconds east of UTC; null for any other text. */
export function offsetIn(text: string): number | null {
  const [, sign, hours, minutes] = /^(?:UTC)?([+-])(\d\d):?(\d\d)$/.exec(text) ?? [];
  if (sign === undefined) return null;
  const seconds = Number(hours) * 3_600 + Number(minutes) * 60;
  return sign === '-' ? -seconds : seconds;
}

/** Parses a time in UTC, with or without an explicit zone; null for any other text. */
export function utcIn(text: string): number | null {
  const [, day, clock] = /^(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d(?::\d\d(?:\.\d+)?)?)(?:Z|\+00:?00)?$/.exec(text) ?? [];
  const at = day === undefined ? NaN : Date.parse(`${day}T${clock}Z`);
  return Number.isNaN(at) ? null : at;
}
