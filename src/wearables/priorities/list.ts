import type { Static } from 'typebox';
import type { TeamCtx, TxCtx } from '../../context.ts';
import { namedProvider } from '../providers/named.ts';
import type { PriorityType, SourcePriority } from './schemas.ts';

/**
 * Returns the team's order of providers, for one type of data or for all of them. A type without an order has no entry.
 */
export async function listPriorities(
  ctx: TeamCtx | TxCtx<TeamCtx>,
  dataType: string | null,
): Promise<Static<typeof SourcePriority>[]> {
  const rows = await ctx.db
    .selectFrom('source_priorities')
    .select(['data_type', 'providers'])
    .where('team_id', '=', ctx.team.id)
    .orderBy('data_type')
    .execute();
  return rows
    .filter(({ data_type }) => dataType === null || data_type === dataType)
    .flatMap(({ data_type, providers }) =>
      providers.map((provider, index) => ({
        team_id: ctx.team.id,
        data_type,
        source: namedProvider(ctx.config, provider),
        priority: index + 1,
      })),
    );
}

/** Returns the providers that the team prefers for a type of data, the best first. */
export async function prioritiesOf(ctx: TeamCtx | TxCtx<TeamCtx>, dataType: PriorityType): Promise<string[]> {
  const row = await ctx.db
    .selectFrom('source_priorities')
    .select('providers')
    .where('team_id', '=', ctx.team.id)
    .where('data_type', '=', dataType)
    .executeTakeFirst();
  return row?.providers ?? [];
}
