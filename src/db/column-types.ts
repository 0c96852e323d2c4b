import pg from 'pg';

const DATE = 1082;
const TIMESTAMPTZ = 1184;
const INT8 = 20;
const NUMERIC = 1700;

/** Turns `2026-01-02 03:04:05.678901+00` into `2026-01-02T03:04:05.678Z`. The time zone of the session is UTC. */
function isoTimestamp(text: string): string {
  if (text.length >= 26) return `${text.slice(0, 10)}T${text.slice(11, 23)}Z`;
  const fraction = text.length > 22 ? text.slice(20, -3).padEnd(3, '0').slice(0, 3) : '000';
  return `${text.slice(0, 10)}T${text.slice(11, 19)}.${fraction}Z`;
}

/**
 * Parsers of column types. Dates and times stay text from the driver to the response. A JavaScript Date would depend on
 * the time zone of the process, which could move it to another day.
 */
export const columnTypes = {
  getTypeParser(oid: number, format?: 'text' | 'binary'): (value: string) => unknown {
    if (oid === TIMESTAMPTZ) return isoTimestamp;
    if (oid === DATE) return (value) => value;
    if (oid === INT8 || oid === NUMERIC) return Number;
    return pg.types.getTypeParser(oid, format ?? 'text');
  },
} as pg.CustomTypesConfig;
