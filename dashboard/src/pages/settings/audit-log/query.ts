import { phial, unwrap } from '../../../api/client.ts';
import type { Filters } from './filters.tsx';

const PATH = '/v1/org/{org_id}/audit_log';

/** The days are those of the viewer. `until` includes its day. */
function queryOf({ since, until, team, actor, action, record }: Filters) {
  return {
    ...(since && { since: new Date(`${since}T00:00:00`).toISOString() }),
    ...(until && { until: new Date(`${until}T23:59:59.999`).toISOString() }),
    ...(team && { team_id: team }),
    ...(actor && { actor }),
    ...(action && { action }),
    ...(record && { record_id: record }),
  };
}

export const readLines = (org_id: string, filters: Filters, next_cursor: string | undefined) =>
  unwrap(phial.GET(PATH, { params: { path: { org_id }, query: { ...queryOf(filters), next_cursor } } }));

export type AuditLine = Awaited<ReturnType<typeof readLines>>['data'][number];

/** All lines that match, as the file that the service writes: one JSON object per line. */
export async function exportLines(org_id: string, filters: Filters): Promise<Blob> {
  const options = { params: { path: { org_id }, query: queryOf(filters) }, parseAs: 'blob' };
  return (await unwrap(phial.GET(`${PATH}/export`, options as never))) as Blob;
}
