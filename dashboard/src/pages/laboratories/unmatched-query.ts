import { phial, unwrap } from '../../api/client.ts';

/** Reads with the person that the report names: without a name nobody can decide to whom a result belongs. */
export const readUnmatched = (raw_result_id: string) =>
  unwrap(phial.GET('/v3/unmatched_result/{raw_result_id}', { params: { path: { raw_result_id } } }));

export type Result = Awaited<ReturnType<typeof readUnmatched>>;
export type Candidate = Result['candidate_groups'][number]['candidates'][number];
