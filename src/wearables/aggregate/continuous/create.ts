import type { Static } from 'typebox';
import type { TeamCtx, TxCtx } from '../../../context.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { AppError } from '../../../errors.ts';
import { newId } from '../../../ids.ts';
import { refuseBeyondLimit } from '../../../tenancy/limits.ts';
import { planOf } from '../read-query.ts';
import { QUERY_COLUMNS, type QueryRow } from './find.ts';
import { spreadQuery } from './runs/spread-query.ts';
import type { ContinuousQueryInput } from './schemas.ts';

export type QueryInput = Static<typeof ContinuousQueryInput> & { query_type: 'team' | 'platform' };

/**
 * Creates a continuous query. Phial computes it for each user of the team who has data that the query reads, and again
 * whenever such data changes. Throws limit_reached, and slug_taken if another query of the team has the slug.
 */
export function createContinuousQuery(ctx: TeamCtx, input: QueryInput): Promise<QueryRow> {
  return inTransaction(ctx, async (ctx) => {
    await refuseOneMore(ctx);
    const id = newId();
    const row = await ctx.db
      .insertInto('continuous_queries')
      .values({
        id,
        team_id: ctx.team.id,
        slug: slugOf(input),
        title: input.title,
        query_type: input.query_type,
        ...computedFrom(input),
        active: input.active ?? true,
      })
      .onConflict((oc) => oc.columns(['team_id', 'slug']).where('deleted_at', 'is', null).doNothing())
      .returning(QUERY_COLUMNS)
      .executeTakeFirst();
    if (!row) throw slugTaken(slugOf(input));
    await spreadQuery(ctx, id);
    return row as QueryRow;
  });
}

/**
 * The columns of `continuous_queries` that define the result. If one of them changes, Phial computes the query again.
 */
export const computedFrom = ({
  timeframe,
  query,
  config = null,
}: Pick<QueryInput, 'query' | 'config'> & { timeframe: object }) => ({
  timeframe: JSON.stringify(timeframe),
  query: JSON.stringify(query),
  config: config && JSON.stringify(config),
  resource: planOf(query).table.resource,
});

/**
 * Throws limit_reached if the team has as many queries as it may have. Two creations at the same time wait for each
 * other, so that together they cannot exceed the limit.
 */
export const refuseOneMore = (ctx: TxCtx<TeamCtx>): Promise<void> =>
  refuseBeyondLimit(ctx, 'continuousQueriesPerTeam', ctx.team.id, async () => {
    const { count } = await ctx.db
      .selectFrom('continuous_queries')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .where('team_id', '=', ctx.team.id)
      .where('deleted_at', 'is', null)
      .executeTakeFirstOrThrow();
    return count;
  });

export const slugTaken = (slug: string): AppError =>
  new AppError('slug_taken', `Another continuous query of the team is called ${slug}. Choose another slug.`);

/**
 * Returns the given slug, or makes one from the letters and digits of the title. If the title has none, the slug is
 * `query`.
 */
export function slugOf({ slug, title }: Pick<QueryInput, 'slug' | 'title'>): string {
  if (slug) return slug;
  const words = title.toLowerCase().match(/[a-z0-9]+/g) ?? ['query'];
  const made = words.join('_').slice(0, LONGEST_MADE);
  return /^[a-z]/.test(made) ? made : `query_${made}`;
}

const LONGEST_MADE = 50;
