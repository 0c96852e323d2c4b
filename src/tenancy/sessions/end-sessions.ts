import type { SessionCtx } from '../../context.ts';

/** Signs the person out here. */
export async function endSession({ db, org, session }: SessionCtx): Promise<void> {
  await db.deleteFrom('sessions').where('org_id', '=', org.id).where('id', '=', session.id).execute();
}

/**
 * Signs the person out everywhere: ends all sessions of the member, of the person of an EHR, or of the operator. Links
 * that would sign the person in end too, because whoever has one could begin the next session.
 */
export async function endAllSessions({ db, org, session }: SessionCtx): Promise<void> {
  const own = db
    .selectFrom('sessions')
    .select(['member_id', 'ehr_member_id'])
    .where('org_id', '=', org.id)
    .where('id', '=', session.id);
  const { member_id, ehr_member_id } = await own.executeTakeFirstOrThrow();
  for (const table of ['sessions', 'sign_in_links'] as const) {
    await db
      .deleteFrom(table)
      .where('org_id', '=', org.id)
      .where('member_id', member_id === null ? 'is' : '=', member_id)
      .where('ehr_member_id', ehr_member_id === null ? 'is' : '=', ehr_member_id)
      .execute();
  }
}
