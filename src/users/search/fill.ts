import { Type } from 'typebox';
import type { Ctx } from '../../context.ts';
import { defineJob } from '../../db/define-job.ts';
import { acrossTeams } from '../../db/session/bind.ts';
import { inTransaction } from '../../db/transaction.ts';
import { storeSearchHashes } from './hashes.ts';

const AT_ONCE = 500;
/** One run makes the hashes of 20,000 users at most, so other work of the job queue gets its turn. */
const MAX_STEPS = 40;

/** Makes the search hashes of users who were created before users could be found by them. */
export const searchFilling = defineJob({
  name: 'fill_user_search',
  payload: Type.Object({}),
  cron: { at: '* * * * *', payload: {} },
  run: async (ctx) => {
    for (let step = 0; step < MAX_STEPS && !ctx.stopping?.aborted; step++) {
      if ((await fillSome(ctx)) < AT_ONCE) return;
    }
  },
});

function fillSome(ctx: Ctx): Promise<number> {
  return inTransaction(acrossTeams(ctx), async (tx) => {
    const users = await tx.db
      .selectFrom('users')
      .select('id')
      .where('lacks_search_hashes', '=', true)
      .orderBy('id')
      .limit(AT_ONCE)
      .forNoKeyUpdate()
      .skipLocked()
      .execute();
    if (users.length === 0) return 0;
    const ids = users.map(({ id }) => id);
    await storeSearchHashes(tx, ids);
    await tx.db.updateTable('users').set({ lacks_search_hashes: false }).where('id', 'in', ids).execute();
    return users.length;
  });
}
