import { sql } from 'kysely';
import type { Static } from 'typebox';
import type { ManagementCtx, TeamCtx } from '../context.ts';
import { addJob } from '../db/define-job.ts';
import { inTransaction } from '../db/transaction.ts';
import { AppError } from '../errors.ts';
import { findDemoClinic, refuseOutsideOfSandbox } from './find.ts';
import { demoClinicStep } from './load.ts';
import type { DemoClinic } from './schemas.ts';

/**
 * Begins to load the demo clinic of a team, or continues after a failure. A team loads it once. A caller who manages
 * single teams may not add members to the organisation, so such a load makes none. Throws sandbox_only, and
 * demo_clinic_exists while it is loading and after it was loaded.
 */
export function startDemoClinic(ctx: TeamCtx & Pick<ManagementCtx, 'key'>): Promise<Static<typeof DemoClinic>> {
  refuseOutsideOfSandbox(ctx);
  const addsMembers = ctx.key.role === 'org_admin';
  return inTransaction(ctx, async (tx) => {
    const { rows } = await sql<{ done: number }>`
      insert into demo_clinics (team_id, adds_members) values (${tx.team.id}, ${addsMembers})
      on conflict (team_id) do update
        set state = 'loading', failures = 0, updated_at = now(), ended_at = null, adds_members = excluded.adds_members
        where demo_clinics.state = 'failed'
      returning done`.execute(tx.db);
    const [begun] = rows;
    if (!begun) {
      throw new AppError(
        'demo_clinic_exists',
        'The demo clinic of this team is loading or was loaded. Make another team to load it again.',
      );
    }
    await addJob(tx.db, demoClinicStep, { team_id: tx.team.id, step: begun.done });
    return findDemoClinic(tx);
  });
}
