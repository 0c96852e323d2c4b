import { sql } from 'kysely';
import { AppError } from '../../errors.ts';
import type { Writer } from '../one-writer.ts';
import type { SummaryItem, SummaryResource } from './resource.ts';

/** After they were stored, in their transaction. Throws limit_reached where more name one summary than may, as cycles a sleep. */
export async function refuseTooManyNaming(
  { db, team }: Writer,
  user: { id: string },
  { name, many, references = {}, mostNaming }: SummaryResource,
  sent: SummaryItem[],
): Promise<void> {
  if (mostNaming === undefined) return;
  for (const [field, to] of Object.entries(references)) {
    const ids = [...new Set(sent.map((item) => String(item[field])))];
    // Names stand in the text, by which the index of the field is found; counted no further than it takes.
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
        `A ${to} has at most ${mostNaming} ${many}. Delete those that are of no use.`,
        { fields: { limit: mostNaming } },
      );
    }
  }
}
