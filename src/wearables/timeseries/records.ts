// The records of their sources that samples are from, as HealthKit and Health Connect name them.
import { sql } from 'kysely';
import type { TeamCtx, TxCtx } from '../../context.ts';
import { isUuid } from '../../ids.ts';
import type { Writer } from '../one-writer.ts';

/** Enough of the hash that no two records of a user are alike. */
const BYTES = 16;

type Whose = { id: string };

/** HealthKit writes UUIDs in upper case, and most libraries in lower case: they are the same. */
const plain = (record: string): string => (isUuid(record) ? record.toLowerCase() : record);

/** All ways in which a record can be kept: UUIDs were once kept as they were written. */
const keptAs = (record: string): string[] =>
  isUuid(record) ? [...new Set([plain(record), record, record.toUpperCase()])] : [record];

const hashOf = ({ cipher, team }: TeamCtx | TxCtx<TeamCtx>, user: Whose, provider: string, record: string): Buffer =>
  cipher.lookupHash('sample_record', team.id, `${user.id} ${provider} ${record}`).subarray(0, BYTES);

/** A sample that is known by its stream and time, with the record that it is from. */
export type Recorded = { stream_id: number; at: string; provider: string; record: string };

/** Keeps from which record samples are: the latest that was told, also of a sample that was pushed again without one. */
export async function keepRecords(ctx: Writer, user: Whose, recorded: Recorded[]): Promise<void> {
  if (recorded.length === 0) return;
  await sql`
    insert into sample_records as known (stream_id, at, team_id, record)
    select stream_id, at, ${ctx.team.id}, record
      from unnest(${recorded.map(({ stream_id }) => stream_id)}::bigint[], ${recorded.map(({ at }) => at)}::timestamptz[],
                  ${recorded.map((each) => hashOf(ctx, user, each.provider, plain(each.record)))}::bytea[]) as r (stream_id, at, record)
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
  const hashes = records.flatMap(({ provider, record }) =>
    keptAs(record).map((each) => hashOf(ctx, user, provider, each)),
  );
  const { rows } = await sql<{ stream_id: number; at: string }>`
    select stream_id, at from sample_records
     where team_id = ${ctx.team.id} and record = any (${hashes}::bytea[])
     limit ${most}`.execute(ctx.db);
  return rows;
}
