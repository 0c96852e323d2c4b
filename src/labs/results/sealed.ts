import type { Static } from 'typebox';
import type { TeamCtx } from '../../context.ts';
import type { LabResults } from './schemas.ts';

type Report = Omit<Static<typeof LabResults>, 'order_transaction'>;
type ReportRow = { team_id: string; order_id: string; version: number };
type SealedReport = { [K in keyof Report]: Buffer };

const placeOf = ({ team_id, order_id, version }: ReportRow): { team_id: string; id: string } => ({
  team_id,
  id: `${order_id}/${version}`,
});

/** What a laboratory found is personal whole: nothing of a report lies open. */
export function sealReport({ cipher }: TeamCtx, row: ReportRow, report: Report): SealedReport {
  const place = placeOf(row);
  return {
    metadata: cipher.sealJson('lab_results.metadata', place, report.metadata),
    results: cipher.sealJson('lab_results.results', place, report.results),
    missing_results: cipher.sealJson('lab_results.missing_results', place, report.missing_results),
    sample_information: cipher.sealJson('lab_results.sample_information', place, report.sample_information),
  };
}

export function openReport({ cipher }: TeamCtx, sealed: ReportRow & { [K in keyof Report]: Buffer | null }): Report {
  const place = placeOf(sealed);
  const open = <T>(column: keyof Report): T =>
    (sealed[column] && cipher.openJson<T>(`lab_results.${column}`, place, sealed[column])) as T;
  return {
    metadata: open('metadata'),
    results: open('results'),
    missing_results: open('missing_results'),
    sample_information: open('sample_information'),
  };
}
