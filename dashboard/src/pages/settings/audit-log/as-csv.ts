import { inWords } from '../../../parts/in-words.ts';
import { actorInWords } from './callers.ts';
import type { AuditLine } from './query.ts';

export type Names = { callerOf: (line: AuditLine) => string | null; teamOf: (id: string) => string };

const HEAD = ['Operation', 'When (UTC)', 'Caller', 'Kind of caller', 'Team', 'Records', 'Status', 'From'];

/** Lines of an export (one JSON object each) as CSV for a spreadsheet, in the words of the page. */
export function asCsv(ndjson: string, { callerOf, teamOf }: Names): string {
  const rows = ndjson
    .split('\n')
    .filter((text) => text !== '')
    .map((text) => {
      const line = JSON.parse(text) as AuditLine;
      return [
        inWords(line.action.replaceAll('.', ' ')),
        line.created_at,
        callerOf(line) ?? line.key_id ?? '',
        actorInWords(line.actor),
        line.team_id === null ? '' : teamOf(line.team_id),
        [...new Set(line.records)].join(' '),
        line.status === null ? '' : String(line.status),
        line.address ?? '',
      ];
    });
  // Spreadsheets read a file as UTF-8 if it begins with this mark.
  return `\uFEFF${[HEAD, ...rows].map((row) => `${row.map(cell).join(',')}\r\n`).join('')}`;
}

/** Quotes a text (RFC 4180). A spreadsheet would run one that begins like a formula, so that one gets an apostrophe. */
const cell = (text: string): string => `"${text.replace(/^(?=[=+\-@\t\r])/, "'").replaceAll('"', '""')}"`;
