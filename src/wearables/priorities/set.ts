import { sql } from 'kysely';
import type { Static } from 'typebox';
import type { TeamCtx } from '../../context.ts';
import { inTransaction } from '../../db/transaction.ts';
import { askForRunsOfTeam } from '../ask-for-runs.ts';
import { listPriorities } from './list.ts';
import { PRIORITY_TYPES, type SourcePriority, type SourcePriorityList } from './schemas.ts';

/**
 * Sets the order of providers for each type of data in the request. If the request names a type twice, the last entry
 * counts. If an order changes, Phial runs the continuous queries that use this order again.
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

/**
 * SQL for the type of data whose order a continuous query uses: the kind of its summaries if this kind has an order of
 * its own, else `timeseries`.
 */
const PRIORITY_TYPE_SQL = sql`(case when resource = any (${[...PRIORITY_TYPES]}::text[]) then resource
  else 'timeseries' end)`;
