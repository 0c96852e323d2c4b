import { sql } from 'kysely';
import { Type } from 'typebox';
import type { Ctx } from '../context.ts';
import { defineJob } from '../db/define-job.ts';
import { acrossTeams } from '../db/session/bind.ts';

const AT_ONCE = 500;

/** Subtracts users who are scheduled for deletion, and their orders, from the totals (migrations/0181_left_out.sql). */
export async function subtractLeavingUsers(ctx: Ctx): Promise<void> {
  const { db } = acrossTeams(ctx);
  for (;;) {
    const { rows } = await sql<{ many: number }>`select leave_out(${AT_ONCE}) as many`.execute(db);
    if ((rows[0]?.many ?? 0) < AT_ONCE || ctx.stopping?.aborted) return;
  }
}

export const leavingOut = defineJob({
  name: 'leave_out_of_totals',
  payload: Type.Object({}),
  cron: { at: '* * * * *', payload: {} },
  run: subtractLeavingUsers,
});
