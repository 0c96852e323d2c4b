import { sql } from 'kysely';
import { AppError } from '../../errors.ts';
import type { Writer } from '../user-writer.ts';
import type { SummaryItem, SummaryResource } from './resource.ts';

/**
 * Throws limit_reached if too many summaries name the same one, as cycles name a sleep. Call it after the summaries
 * were stored, in the same transaction.
 */
export async function refuseTooManyNaming(
  { db, team }: Writer,
  user: { id: string },
  { name, many, references = {}, mostNaming }: SummaryResource,
  sent: SummaryItem[],
): Promise<void> {
  if (mostNaming === undefined) return;
  for (const [field, to] of Object.entries(references)) {
    const ids = [...new Set(sent.map((item) => String(item[field])))];
    // The names are literals, because only then PostgreSQL uses the index of the field. The statement stops counting at
    // the limit.
    const { rows } = await sql`
      select from unnest(${ids}::text[]) as named (id) cross join lateral (
        select count(*) as many from (
          select from ${sql.table('summaries')} as summaries
           where user_id = ${user.id} and team_id = ${team.id} and resource = ${sql.lit(name)}
             and "values" ->> ${sql.lit(field)} = named.id
           limit ${mostNaming + 1}) as those) as counted
       where counted.many > ${mostNaming} limit 1`.execute(db);
    if (rows.length > 0) {
      throw new AppError(
        'limit_reached',
        `A ${to} has at most ${mostNaming} ${many}. Delete those that you do not need.`,
        { fields: { limit: mostNaming } },
      );
    }
  }
}
