import type { TeamCtx } from '../../context.ts';
import type { KeptMissing, KeptReport, KeptResult, RejectedTests, ToldTests, Withdrawn } from './kept-report.ts';

type ReportRow = { team_id: string; order_id: string; version: number };
type Sealed = Record<'metadata' | 'results' | 'missing_results' | 'sample_information', Buffer>;

const placeOf = ({ team_id, order_id, version }: ReportRow): { team_id: string; id: string } => ({
  team_id,
  id: `${order_id}/${version}`,
});

/** What results had no word for before they could be corrected one by one; in place, since copies cost more than the reading. */
function completed(result: KeptResult): KeptResult {
  result.status ??= 'final';
  result.previous_result ??= null;
  result.key ??= result.slug;
  result.history ??= [];
  result.result_codes ??= null;
  return result;
}

type SealedMetadata = KeptReport['metadata'] & { tests?: ToldTests; rejected?: RejectedTests };
type SealedResult = KeptResult | (Withdrawn & { status: 'withdrawn' });

/** What a laboratory found is personal whole: nothing of a report lies open. */
export function sealReport({ cipher }: TeamCtx, row: ReportRow, report: KeptReport): Sealed {
  const place = placeOf(row);
  const results: SealedResult[] = [
    ...report.results,
    ...report.withdrawn.map((entry) => ({ ...entry, status: 'withdrawn' as const })),
  ];
  return {
    metadata: cipher.sealJson('lab_results.metadata', place, {
      ...report.metadata,
      tests: report.tests,
      rejected: report.rejected,
    }),
    results: cipher.sealJson('lab_results.results', place, results),
    missing_results: cipher.sealJson('lab_results.missing_results', place, report.missing_results),
    sample_information: cipher.sealJson('lab_results.sample_information', place, report.sample_information),
  };
}

/** A version as it was kept; what was withdrawn is apart from the results. Versions of early releases have fewer fields. */
export function openReport(
  { cipher }: TeamCtx,
  sealed: ReportRow & { [K in keyof Sealed]: Buffer | null },
): KeptReport {
  const place = placeOf(sealed);
  const open = <T>(column: keyof Sealed): T | null =>
    sealed[column] && cipher.openJson<T>(`lab_results.${column}`, place, sealed[column]);
  const results = open<SealedResult[]>('results') ?? [];
  const { tests = {}, rejected = {}, ...metadata } = open<SealedMetadata>('metadata') as SealedMetadata;
  return {
    metadata,
    tests,
    rejected,
    results: results.filter((result): result is KeptResult => result.status !== 'withdrawn').map(completed),
    missing_results: (open<KeptMissing[]>('missing_results') ?? []).map((missing) => ({
      ...missing,
      key: missing.key ?? missing.slug,
      reported_at: missing.reported_at ?? null,
      history: missing.history ?? [],
    })),
    withdrawn: results.filter((result) => result.status === 'withdrawn'),
    sample_information: open<KeptReport['sample_information']>('sample_information') ?? {},
  };
}
