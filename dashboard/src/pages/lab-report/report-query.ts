import { phial, unwrap } from '../../api/client.ts';
import type { useTeamPath } from '../../api/session.tsx';

const read = (path: ReturnType<typeof useTeamPath>, job_id: string) =>
  unwrap(
    phial.GET('/v1/org/{org_id}/team/{team_id}/{environment}/lab_report_review/{job_id}', {
      params: { path: { ...path, job_id } },
    }),
  );

export type Report = Awaited<ReturnType<typeof read>>;
export type ReadData = NonNullable<Report['data']>;
export type ReadResult = ReadData['results'][number];

/** Each reading is a line of the audit log, so it is read again only after a change. */
export const reportQuery = (path: ReturnType<typeof useTeamPath>, jobId: string) => ({
  queryKey: ['lab_report_review', path.team_id, jobId],
  queryFn: () => read(path, jobId),
  staleTime: Infinity,
});
