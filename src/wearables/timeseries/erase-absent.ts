import { sql } from 'kysely';
import type { TeamCtx } from '../../context.ts';
import { askForRuns } from '../ask-for-runs.ts';
import { asWriter } from '../one-writer.ts';
import { SERIES } from '../resources.ts';

/** Samples that one transaction takes away. */
const SAMPLES = 20_000;

/**
 * Takes away what a provider has deleted: of a series, as events name it, and of one kind of device, what lies within a span that was read just now and was
 * not in it. `kept` are the moments of what was. No event tells of it, as of summaries. Throws what findUser throws.
 */
export async function eraseAbsentSamples(
  ctx: TeamCtx,
  user: { id: string },
  {
    resource,
    provider,
    source_type,
    span,
    kept,
  }: { resource: string; provider: string; source_type: string; span: { from: string; to: string }; kept: string[] },
): Promise<void> {
  const series = SERIES.filter(({ event }) => event === resource).map(({ name }) => name);
  if (series.length === 0) return;
  const eraseSome = (): Promise<boolean> =>
    asWriter(ctx, { user_id: user.id, origin: 'live' }, async (tx) => {
      const { numAffectedRows = 0n } = await sql`
        with gone as (
          select stream_id, at from samples
           where stream_id in (
             select id from streams where user_id = ${user.id} and team_id = ${ctx.team.id} and provider = ${provider}
                and source_type = ${source_type} and resource = any (${series}::text[]))
             and at >= ${span.from}::timestamptz and at < ${span.to}::timestamptz
             and not exists (select from unnest(${kept}::timestamptz[]) as still (at) where still.at = samples.at)
           limit ${SAMPLES}
        ), notes as (
          delete from sample_notes n using gone where n.stream_id = gone.stream_id and n.at = gone.at
        )
        delete from ${sql.table('samples')} s using gone where s.stream_id = gone.stream_id and s.at = gone.at`.execute(
        tx.db,
      );
      await askForRuns(tx, user, numAffectedRows > 0n ? series : []);
      return numAffectedRows === BigInt(SAMPLES);
    });
  while (await eraseSome());
}
