// Finds meals that two apps report. Two reports are the same meal if their times and names are equal. Names are
// encrypted, so the process decrypts the names of those meals whose times are equal, and compares them.
import { setImmediate as nextImmediate } from 'node:timers/promises';
import { sql } from 'kysely';
import type { TeamCtx, TxCtx } from '../../../context.ts';
import { AppError } from '../../../errors.ts';
import type { QueryScope } from '../query-scope.ts';
import type { SummarySelection } from './counted-rows.ts';
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

const MAX_MEALS = 10_000;
/** After this number of names, the process does other work before it continues. */
const OPENED_AT_ONCE = 500;
const MAX_BYTES = 16 * 1024 * 1024;
/** Two sources may assign the same moment to different days. These days are at most this many days apart. */
const DAYS_AROUND = 2;

/**
 * Returns the ids of the meals that a better source reports too. Two times are equal if they are in the same minute,
 * because apps round times to minutes. Throws too_many_matches if it would decrypt more than 10,000 names or 16 MiB of
 * texts.
 */
export async function repeatedMeals(
  ctx: TeamCtx | TxCtx<TeamCtx>,
  asked: SummarySelection,
  scope: QueryScope,
): Promise<string[]> {
  const { rows } = await sql<Meal>`
    select id, team_id, provider, source_type, app_id, device_id, "group", minute,
           case when bytes <= ${MAX_BYTES} then texts end as texts, bytes::float8
      from (
        select *, sum(octet_length(texts)) over (order by id) as bytes
          from (
            select id, team_id, provider, source_type, app_id, device_id, "group", minute, texts,
                   min(source) over same <> max(source) over same as is_of_several
              from (
                select id, team_id, provider, source_type, app_id, device_id, texts, ${groupSql(asked)} as "group",
                       date_trunc('minute', start_at) as minute,
                       jsonb_build_array(provider, source_type, app_id, device_id)::text as source
                  from summaries where ${matching(asked, scope, DAYS_AROUND)} and texts is not null
              ) as meals
            window same as (partition by "group", minute)
          ) as meals
         where is_of_several order by id limit ${MAX_MEALS + 1}
      ) as meals`.execute(ctx.db);
  if (rows.length > MAX_MEALS || (rows.at(-1)?.bytes ?? 0) > MAX_BYTES) {
    throw new AppError(
      'too_many_matches',
      `More than ${MAX_MEALS} meals of several sources would be compared. Ask for a shorter timeframe.`,
    );
  }
  const meals: { id: string; position: number; same: string }[] = [];
  for (const { id, team_id, texts, group, minute, position } of await rankRows(rows, scope.providers)) {
    const { name } = ctx.cipher.openJson<{ name?: string }>('summaries.texts', { id, team_id }, texts);
    meals.push({ id, position, same: JSON.stringify([group, minute, (name ?? '').trim().toLowerCase()]) });
    if (meals.length % OPENED_AT_ONCE === 0) await nextImmediate();
  }
  const best = new Map<string, number>();
  for (const { position, same } of meals) best.set(same, Math.min(best.get(same) ?? position, position));
  return meals.flatMap(({ id, position, same }) => (position === best.get(same) ? [] : id));
}
