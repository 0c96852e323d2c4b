import type { Static } from 'typebox';
import type { TeamCtx, TxCtx } from '../../context.ts';
import { namedProvider } from '../providers/named.ts';
import type { PriorityType, SourcePriority } from './schemas.ts';

/** The team's order of providers, of one kind of data or of all; a kind that nothing was chosen for is not among them. */
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

/** Slugs of the providers that count first for a kind of data, the best one first. */
export async function prioritiesOf(ctx: TeamCtx | TxCtx<TeamCtx>, dataType: PriorityType): Promise<string[]> {
  const row = await ctx.db
    .selectFrom('source_priorities')
    .select('providers')
    .where('team_id', '=', ctx.team.id)
    .where('data_type', '=', dataType)
    .executeTakeFirst();
  return row?.providers ?? [];
}
