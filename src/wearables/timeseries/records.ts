// The records of their sources that samples are from, as HealthKit and Health Connect name them.
import { sql } from 'kysely';
import type { TeamCtx, TxCtx } from '../../context.ts';
import type { Writer } from '../one-writer.ts';

/** Enough of the hash that no two records of a user are alike. */
const BYTES = 16;

type Whose = { id: string };

const hashOf = ({ cipher, team }: TeamCtx | TxCtx<TeamCtx>, user: Whose, provider: string, record: string): Buffer =>
  cipher.lookupHash('sample_record', team.id, `${user.id} ${provider} ${record}`).subarray(0, BYTES);

/** A sample that is known by its stream and time, with the record that it is from. */
export type Recorded = { stream_id: number; at: string; provider: string; record: string };

/** Keeps from which record samples are; the latest one counts, whatever became of the sample. */
export async function keepRecords(ctx: Writer, user: Whose, recorded: Recorded[]): Promise<void> {
  if (recorded.length === 0) return;
  await sql`
    insert into sample_records as known (stream_id, at, team_id, record)
    select stream_id, at, ${ctx.team.id}, record
      from unnest(${recorded.map(({ stream_id }) => stream_id)}::bigint[], ${recorded.map(({ at }) => at)}::timestamptz[],
                  ${recorded.map((each) => hashOf(ctx, user, each.provider, each.record))}::bytea[]) as r (stream_id, at, record)
    on conflict (stream_id, at) do update set record = excluded.record where known.record <> excluded.record`.execute(
    ctx.db,
  );
}

/** The samples of these records of a user, at most so many. */
export async function samplesOfRecords(
  ctx: Writer,
  user: Whose,
  records: { provider: string; record: string }[],
  most: number,
): Promise<{ stream_id: number; at: string }[]> {
  if (records.length === 0) return [];
  const { rows } = await sql<{ stream_id: number; at: string }>`
    select stream_id, at from sample_records
     where team_id = ${ctx.team.id} and record = any (${records.map(({ provider, record }) => hashOf(ctx, user, provider, record))}::bytea[])
     limit ${most}`.execute(ctx.db);
  return rows;
}
