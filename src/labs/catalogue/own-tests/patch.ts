import { sql } from 'kysely';
import type { Static } from 'typebox';
import type { TeamCtx } from '../../../context.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { notFound } from '../../../errors.ts';
import { loadLabTest } from '../find.ts';
import type { LabTest } from '../schemas.ts';
import type { LabTestPatch } from './schemas.ts';

/**
 * Renames, deactivates or activates one of the team's lab tests. If the operator has not approved the lab test yet,
 * activation makes it wait for approval. Existing orders of the lab test continue. If all values equal the stored
 * values, nothing changes. Throws not_found.
 */
export function patchLabTest(
  ctx: TeamCtx,
  id: string,
  { name, active }: Static<typeof LabTestPatch>,
): Promise<LabTest> {
  return inTransaction(ctx, async (ctx) => {
    const { rows } = await sql<{ name: string; status: string; approved: boolean }>`
      select name, status, approved_at is not null as approved from lab_tests
       where id = ${id} and team_id = ${ctx.team.id} for no key update`.execute(ctx.db);
    const [now] = rows;
    if (!now) throw notFound('Lab test');
    const inUse = now.approved ? 'active' : 'pending_approval';
    const status = active === false ? 'inactive' : active === true ? inUse : now.status;
    if ((name ?? now.name) !== now.name || status !== now.status) {
      await sql`update lab_tests set name = ${name ?? now.name}, status = ${status}, updated_at = now()
        where id = ${id} and team_id = ${ctx.team.id}`.execute(ctx.db);
    }
    return loadLabTest(ctx, id);
  });
}
