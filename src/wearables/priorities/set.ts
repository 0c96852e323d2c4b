import { sql } from 'kysely';
import type { Static } from 'typebox';
import type { TeamCtx } from '../../context.ts';
import { inTransaction } from '../../db/transaction.ts';
import { askForRunsOfTeam } from '../ask-for-runs.ts';
import { listPriorities } from './list.ts';
import { PRIORITY_TYPES, type SourcePriority, type SourcePriorityList } from './schemas.ts';

/**
 * Chooses the order of providers for each kind of data that is named; of one that is named twice the last counts. Continuous
 * queries that read what has another order now are computed anew.
 */
export function setPriorities(
  ctx: TeamCtx,
  chosen: Static<typeof SourcePriorityList>,
): Promise<Static<typeof SourcePriority>[]> {
  return inTransaction(ctx, async (tx) => {
    const changed: string[] = [];
    const byType = new Map(chosen.map(({ data_type, providers }) => [data_type, providers]));
    for (const [data_type, providers] of [...byType].toSorted()) {
      const { numInsertedOrUpdatedRows: differing } = await tx.db
        .insertInto('source_priorities')
        .values({ team_id: tx.team.id, data_type, providers })
        .onConflict((oc) =>
          oc
            .columns(['team_id', 'data_type'])
            .doUpdateSet({ providers: sql<string[]>`excluded.providers` })
            .whereRef('source_priorities.providers', 'is distinct from', 'excluded.providers' as never),
        )
        .executeTakeFirstOrThrow();
      if (differing === 1n) changed.push(data_type);
    }
    if (changed.length > 0) await askForRunsOfTeam(tx, { which: sql`${PRIORITY_TYPE_SQL} = any (${changed}::text[])` });
    return listPriorities(tx, null);
  });
}

/** Whose order a continuous query follows: that of the summaries it reads, or of all series. */
const PRIORITY_TYPE_SQL = sql`(case when resource = any (${[...PRIORITY_TYPES]}::text[]) then resource else 'timeseries' end)`;
