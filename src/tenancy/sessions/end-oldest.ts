import { sql } from 'kysely';
import type { Db, Tx } from '../../db/open-database.ts';
import type { SignInPerson } from './person.ts';

/** The most sessions of a person at the same time, and the most open links. */
const MAX_OF_PERSON = 20;

/** Ends the oldest sessions or links of the person, so that 20 remain. */
export async function endOldest(
  db: Db | Tx,
  table: 'sessions' | 'sign_in_links',
  { org_id, member_id, ehr_member_id }: SignInPerson,
): Promise<void> {
  await sql`
    delete from ${sql.table(table)} where id in (
      select id from ${sql.table(table)}
       where org_id = ${org_id} and member_id is not distinct from ${member_id}::uuid
         and ehr_member_id is not distinct from ${ehr_member_id}::uuid
       order by id desc offset ${MAX_OF_PERSON})`.execute(db);
}
