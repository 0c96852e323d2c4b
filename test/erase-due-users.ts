import type { Ctx } from '../src/context.ts';
import { MIN_ID } from '../src/ids.ts';
import { eraseSomeUsers } from '../src/jobs/erase-users.ts';

/** Erases every user whose grace period is over, as the jobs do step by step. Returns their number. */
export async function eraseUsers(ctx: Ctx): Promise<number> {
  let erased = 0;
  for (let after: string | null = MIN_ID; after !== null;) {
    const round: Awaited<ReturnType<typeof eraseSomeUsers>> = await eraseSomeUsers(ctx, after);
    erased += round.erased;
    after = round.next;
  }
  return erased;
}
