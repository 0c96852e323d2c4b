import type { TeamCtx } from '../../context.ts';
import type {
  StoredMissingResult,
  StoredReport,
  StoredResult,
  RejectedTests,
  TestStatuses,
  Withdrawn,
} from './stored-report.ts';

type ReportRow = { team_id: string; order_id: string; version: number };
type Sealed = Record<'metadata' | 'results' | 'missing_results' | 'sample_information', Buffer>;

const rowKeyOf = ({ team_id, order_id, version }: ReportRow): { team_id: string; id: string } => ({
  team_id,
  id: `${order_id}/${version}`,
});

/**
 * Adds the fields that results of early releases lack. The function changes the object itself, because a copy would
 * take longer than reading it.
 */
function completed(result: StoredResult): StoredResult {
  result.status ??= 'final';
  result.previous_result ??= null;
  result.key ??= result.slug;
  result.history ??= [];
  result.result_codes ??= null;
  return result;
}

type SealedMetadata = StoredReport['metadata'] & { tests?: TestStatuses; rejected?: RejectedTests };
type SealedResult = StoredResult | (Withdrawn & { status: 'withdrawn' });

/** Seals a complete report, because all findings of a laboratory are personal data. */
export function sealReport({ cipher }: TeamCtx, row: ReportRow, report: StoredReport): Sealed {
  const rowKey = rowKeyOf(row);
  const results: SealedResult[] = [
    ...report.results,
    ...report.withdrawn.map((entry) => ({ ...entry, status: 'withdrawn' as const })),
  ];
  return {
    metadata: cipher.sealJson('lab_results.metadata', rowKey, {
      ...report.metadata,
      tests: report.tests,
      rejected: report.rejected,
    }),
    results: cipher.sealJson('lab_results.results', rowKey, results),
    missing_results: cipher.sealJson('lab_results.missing_results', rowKey, report.missing_results),
    sample_information: cipher.sealJson('lab_results.sample_information', rowKey, report.sample_information),
  };
}

/**
 * Decrypts a stored version of a report. Results and withdrawn values are stored as one list, and the function
 * separates them. Versions of early releases have fewer fields.
 */
export function openReport(
  { cipher }: TeamCtx,
  sealed: ReportRow & { [K in keyof Sealed]: Buffer | null },
): StoredReport {
  const rowKey = rowKeyOf(sealed);
  const open = <T>(column: keyof Sealed): T | null =>
    sealed[column] && cipher.openJson<T>(`lab_results.${column}`, rowKey, sealed[column]);
  const results = open<SealedResult[]>('results') ?? [];
  const { tests = {}, rejected = {}, ...metadata } = open<SealedMetadata>('metadata') as SealedMetadata;
  return {
    metadata,
    tests,
    rejected,
    results: results.filter((result): result is StoredResult => result.status !== 'withdrawn').map(completed),
    missing_results: (open<StoredMissingResult[]>('missing_results') ?? []).map((missing) => ({
      ...missing,
      key: missing.key ?? missing.slug,
      reported_at: missing.reported_at ?? null,
      history: missing.history ?? [],
    })),
    withdrawn: results.filter((result) => result.status === 'withdrawn'),
    sample_information: open<StoredReport['sample_information']>('sample_information') ?? {},
  };
}
