import type { SessionCtx } from '../../context.ts';

/** Signs the person out here. */
export async function endSession({ db, org, session }: SessionCtx): Promise<void> {
  await db.deleteFrom('sessions').where('org_id', '=', org.id).where('id', '=', session.id).execute();
}

/** Signs the person out everywhere: ends all sessions of the member, of the person of an EHR, or of the operator. */
export async function endAllSessions({ db, org, session }: SessionCtx): Promise<void> {
  const own = db
    .selectFrom('sessions')
    .select(['member_id', 'ehr_member_id'])
    .where('org_id', '=', org.id)
    .where('id', '=', session.id);
  const { member_id, ehr_member_id } = await own.executeTakeFirstOrThrow();
  await db
    .deleteFrom('sessions')
    .where('org_id', '=', org.id)
    .where('member_id', member_id === null ? 'is' : '=', member_id)
    .where('ehr_member_id', ehr_member_id === null ? 'is' : '=', ehr_member_id)
    .execute();
}
