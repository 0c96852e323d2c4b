import { sql } from 'kysely';
import type { Ctx } from '../../../../context.ts';
import type { Waiting } from './take-waiting.ts';

/** What became of a message: it is not sent again. */
export async function settle(
  ctx: Ctx,
  { user_id, id }: Waiting,
  { state, reason }: { state: 'accepted' | 'refused'; reason: string | null },
): Promise<void> {
  await sql`
    update laboratory_outbox set state = ${state}, last_error = ${reason}, attempts = attempts + 1, answered_at = now()
     where user_id = ${user_id} and id = ${id}`.execute(ctx.db);
}

/** From 5 seconds on, doubled each time, to 5 minutes. */
const delaySeconds = (attempts: number): number => Math.min(300, 5 * 2 ** Math.min(attempts, 10));

/** Puts a message off that got no answer; tells for how many seconds. */
export async function putOff(ctx: Ctx, { user_id, id, attempts }: Waiting, reason: string): Promise<number> {
  const seconds = delaySeconds(attempts);
  await sql`
    update laboratory_outbox set attempts = ${attempts + 1}, last_error = ${reason},
           due_at = now() + make_interval(secs => ${seconds})
     where user_id = ${user_id} and id = ${id}`.execute(ctx.db);
  return seconds;
}
