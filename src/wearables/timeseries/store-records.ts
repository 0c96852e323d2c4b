// HealthKit and Health Connect give ids to the records of a phone. This file stores from which record each sample
// comes, so that a phone can delete samples by the id of their record.
import { sql } from 'kysely';
import type { TeamCtx, TxCtx } from '../../context.ts';
import { isUuid } from '../../ids.ts';
import type { Writer } from '../user-writer.ts';

/**
 * The length of the stored hash in bytes. With 16 bytes, two records of a user practically never have the same hash.
 */
const BYTES = 16;

type RecordOwner = { id: string };

/**
 * Returns the form of a record's id that is hashed. HealthKit writes UUIDs in upper case and most libraries in lower
 * case, although both mean the same record.
 */
const plain = (record: string): string => (isUuid(record) ? record.toLowerCase() : record);

/**
 * Returns all forms in which the id of a record may be stored. Older rows have the hash of a UUID as the sender wrote
 * it.
 */
const storedForms = (record: string): string[] =>
  isUuid(record) ? [...new Set([plain(record), record, record.toUpperCase()])] : [record];

const hashOf = (
  { cipher, team }: TeamCtx | TxCtx<TeamCtx>,
  user: RecordOwner,
  provider: string,
  record: string,
): Buffer => cipher.lookupHash('sample_record', team.id, `${user.id} ${provider} ${record}`).subarray(0, BYTES);

/** A sample, by its stream and time, and the id of its record. */
export type Recorded = { stream_id: number; at: string; provider: string; record: string };

/** Stores the record of each sample. If a sender pushes a sample again without a record, the stored record stays. */
export async function storeRecords(ctx: Writer, user: RecordOwner, recorded: Recorded[]): Promise<void> {
  if (recorded.length === 0) return;
  const hashes = recorded.map((each) => hashOf(ctx, user, each.provider, plain(each.record)));
  await sql`
    insert into sample_records as known (stream_id, at, team_id, record)
    select stream_id, at, ${ctx.team.id}, record
      from unnest(${recorded.map(({ stream_id }) => stream_id)}::bigint[],
                  ${recorded.map(({ at }) => at)}::timestamptz[], ${hashes}::bytea[]) as r (stream_id, at, record)
    on conflict (stream_id, at) do update set record = excluded.record
     where known.record <> excluded.record`.execute(ctx.db);
}

/** Returns the samples of these records of a user, at most `most` of them. */
export async function samplesOfRecords(
  ctx: Writer,
  user: RecordOwner,
  records: { provider: string; record: string }[],
  most: number,
): Promise<{ stream_id: number; at: string }[]> {
  if (records.length === 0) return [];
  const hashes = records.flatMap(({ provider, record }) =>
    storedForms(record).map((each) => hashOf(ctx, user, provider, each)),
  );
  const { rows } = await sql<{ stream_id: number; at: string }>`
    select stream_id, at from sample_records
     where team_id = ${ctx.team.id} and record = any (${hashes}::bytea[])
     limit ${most}`.execute(ctx.db);
  return rows;
}
