import { sql } from 'kysely';
import type { Static } from 'typebox';
import type { TeamCtx } from '../../context.ts';
import { inTransaction } from '../../db/transaction.ts';
import { listPriorities } from './list.ts';
import type { SourcePriority, SourcePriorityList } from './schemas.ts';

/** Chooses the order of providers for each kind of data that is named; of one that is named twice the last counts. */
export function setPriorities(
  ctx: TeamCtx,
  chosen: Static<typeof SourcePriorityList>,
): Promise<Static<typeof SourcePriority>[]> {
  return inTransaction(ctx, async (tx) => {
    const byType = new Map(chosen.map(({ data_type, providers }) => [data_type, providers]));
    for (const [data_type, providers] of [...byType].toSorted()) {
      await tx.db
        .insertInto('source_priorities')
        .values({ team_id: tx.team.id, data_type, providers })
        .onConflict((oc) =>
          oc.columns(['team_id', 'data_type']).doUpdateSet({ providers: sql<string[]>`excluded.providers` }),
        )
        .execute();
    }
    return listPriorities(tx, null);
  });
}
