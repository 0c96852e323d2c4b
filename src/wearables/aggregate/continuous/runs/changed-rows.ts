import { MAX_EVENT_BYTES } from '../../../../events/publish.ts';
import type { Table } from '../../query-result.ts';

type Row = Table[string];

/** Returns a table of the rows of `after` that are not in `before`. If `before` is null, returns all rows. */
export function changedRows(before: Table | null, after: Table): Table {
  const known = new Map<string, number>();
  for (const row of rowsOf(before ?? {})) known.set(textOf(row), (known.get(textOf(row)) ?? 0) + 1);
  const isNew = (row: Row): boolean => {
    const left = known.get(textOf(row)) ?? 0;
    if (left > 0) known.set(textOf(row), left - 1);
    return left === 0;
  };
  return tableOf(Object.keys(after), rowsOf(after).filter(isNew));
}

/** The most bytes of an event, apart from its rows and column names. */
const ENVELOPE_BYTES = 4_096;

/**
 * Splits a table into tables that are small enough for one event each. Returns an empty list for a table without rows.
 */
export function splitIntoChunks(table: Table): Table[] {
  const names = Object.keys(table);
  const spaceBytes = MAX_EVENT_BYTES - ENVELOPE_BYTES - Buffer.byteLength(JSON.stringify(names));
  const chunks: Row[][] = [];
  let bytes = Infinity;
  for (const row of rowsOf(table)) {
    const weight = Buffer.byteLength(textOf(row));
    if (bytes + weight > spaceBytes) {
      chunks.push([]);
      bytes = 0;
    }
    chunks.at(-1)?.push(row);
    bytes += weight;
  }
  return chunks.map((rows) => tableOf(names, rows));
}

const textOf = (row: Row): string => JSON.stringify(row);

function rowsOf(table: Table): Row[] {
  const columns = Object.values(table);
  return (columns[0] ?? []).map((_, n) => columns.map((column) => column[n] ?? null));
}

const tableOf = (names: string[], rows: Row[]): Table =>
  Object.fromEntries(names.map((name, column) => [name, rows.map((row) => row[column] ?? null)]));
