import { sql } from 'kysely';
import type { TeamCtx, TxCtx } from '../../../context.ts';
import { historyDaysOf } from '../../connections/applications/configured.ts';
import type { ProviderSlug } from '../../providers/provider-catalogue.ts';

type HistoryDays = { usual: number; ofResource: (resource: string) => number };

/**
 * Returns how many days of the past a new connection of the team imports from a provider: the team's preference, else
 * the default.
 */
export async function findHistoryDays(ctx: TeamCtx | TxCtx<TeamCtx>, provider: ProviderSlug): Promise<HistoryDays> {
  const {
    rows: [chosen],
  } = await sql<{ default_days: number; resource_days: Record<string, number> }>`
    select default_days, resource_days from data_pull_preferences
     where team_id = ${ctx.team.id} and provider = ${provider}`.execute(ctx.db);
  const usual = chosen?.default_days ?? historyDaysOf(ctx.config, provider);
  const days = new Map(Object.entries(chosen?.resource_days ?? {}));
  return { usual, ofResource: (resource) => days.get(resource) ?? usual };
}
