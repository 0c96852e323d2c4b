// A meal that two apps tell of is one meal where its time and its name agree. Names are sealed: of those whose times agree the
// process opens and compares them.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { sql } from 'kysely';
import type { TeamCtx, TxCtx } from '../../../context.ts';
import { AppError } from '../../../errors.ts';
import type { QueryScope } from '../scope.ts';
import type { SummariesAsked } from './counted-rows.ts';
import { rankRows, type Source } from '../../rank.ts';
import { groupSql, matching } from './summary-rows.ts';

type Meal = Source & {
  id: string;
  team_id: string;
  group: string;
  minute: string;
  texts: Buffer;
  bytes: number;
};

const MOST_MEALS = 10_000;
/** How many names are opened before other requests have their turn. */
const OPENED_AT_ONCE = 500;
const MOST_BYTES = 16 * 1024 * 1024;
/** A source may take the same moment for another day. */
const DAYS_AROUND = 2;

/**
 * Ids of the meals that a better source tells of as well. Times agree within a minute, since apps round them. Throws
 * too_many_matches where more than 10,000 names, or 16 MiB of texts, would be opened.
 */
export async function repeatedMeals(
  ctx: TeamCtx | TxCtx<TeamCtx>,
  asked: SummariesAsked,
  scope: QueryScope,
): Promise<string[]> {
  const { rows } = await sql<Meal>`
    select id, team_id, provider, source_type, app_id, device_id, "group", minute, case when bytes <= ${MOST_BYTES} then texts end as texts,
           bytes::float8
      from (
        select *, sum(octet_length(texts)) over (order by id) as bytes
          from (
            select id, team_id, provider, source_type, app_id, device_id, "group", minute, texts,
                   min(source) over same <> max(source) over same as is_of_several
              from (
                select id, team_id, provider, source_type, app_id, device_id, texts, ${groupSql(asked)} as "group",
                       date_trunc('minute', start_at) as minute, jsonb_build_array(provider, source_type, app_id, device_id)::text as source
                  from summaries where ${matching(asked, scope, DAYS_AROUND)} and texts is not null
              ) as meals
            window same as (partition by "group", minute)
          ) as meals
         where is_of_several order by id limit ${MOST_MEALS + 1}
      ) as meals`.execute(ctx.db);
  if (rows.length > MOST_MEALS || (rows.at(-1)?.bytes ?? 0) > MOST_BYTES) {
    throw new AppError(
      'too_many_matches',
      `More than ${MOST_MEALS} meals of several sources would be compared. Ask for a shorter timeframe.`,
    );
  }
  const meals: { id: string; place: number; same: string }[] = [];
  for (const { id, team_id, texts, group, minute, place } of await rankRows(rows, scope.providers)) {
    const { name } = ctx.cipher.openJson<{ name?: string }>('summaries.texts', { id, team_id }, texts);
    meals.push({ id, place, same: JSON.stringify([group, minute, (name ?? '').trim().toLowerCase()]) });
    if (meals.length % OPENED_AT_ONCE === 0) await nextTurn();
  }
  const best = new Map<string, number>();
  for (const { place, same } of meals) best.set(same, Math.min(best.get(same) ?? place, place));
  return meals.flatMap(({ id, place, same }) => (place === best.get(same) ? [] : id));
}
