import { sql } from 'kysely';
import type { TeamCtx, TxCtx } from '../../../context.ts';

/**
 * The number of characters (ASCII) in a stored part of the points. Parts are small, so that one step can encrypt some
 * hundred again, or erase them.
 */
const PART = 200_000;

/**
 * A summary with incoming points: the hash of its stored points (`known`; null if there are none), and the new points
 * with their hash.
 */
export type IncomingSummaryStream = { summary_id: string; known: Buffer | null; text: string; hash: Buffer };

/**
 * Stores the points of locked summaries. New points replace all stored points of a summary. Returns the summaries that
 * had no points before, and those whose points have changed.
 */
export async function storeSummaryStreams(
  ctx: TxCtx<TeamCtx>,
  user: { id: string },
  incoming: IncomingSummaryStream[],
): Promise<{ created: string[]; updated: string[] }> {
  const changed = incoming.filter(({ known, hash }) => !known?.equals(hash));
  const { db, team, cipher } = ctx;
  if (changed.length > 0) {
    await sql`
      update ${sql.table('summaries')} as summaries set stream_hash = new.hash
        from unnest(${changed.map(({ summary_id }) => summary_id)}::uuid[], ${changed.map(({ hash }) => hash)}::bytea[])
          as new (id, hash)
       where user_id = ${user.id} and team_id = ${team.id} and summaries.id = new.id`.execute(db);
  }
  // One at a time, because all of them together may be as large as the largest request.
  for (const { summary_id, known, text } of changed) {
    await ctx.giveWay?.();
    const mine = { user_id: user.id, summary_id, team_id: team.id };
    if (known) {
      await db
        .deleteFrom('summary_streams')
        .where('user_id', '=', user.id)
        .where('team_id', '=', team.id)
        .where('summary_id', '=', summary_id)
        .execute();
    }
    const parts = Array.from({ length: Math.ceil(text.length / PART) }, (_, part) => ({
      ...mine,
      part,
      content: cipher.sealText(
        'summary_streams.content',
        { team_id: team.id, id: `${summary_id}/${part}` },
        text.slice(part * PART, (part + 1) * PART),
      ),
    }));
    await db.insertInto('summary_streams').values(parts).execute();
  }
  const ids = (those: IncomingSummaryStream[]): string[] => those.map(({ summary_id }) => summary_id);
  return {
    created: ids(changed.filter(({ known }) => known === null)),
    updated: ids(changed.filter(({ known }) => known !== null)),
  };
}
