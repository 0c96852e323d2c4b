import type { Selectable } from 'kysely';
import type { Static } from 'typebox';
import type { TeamCtx } from '../../../context.ts';
import type { DB } from '../../../db/tables.ts';
import { notFound } from '../../../errors.ts';
import { isUuid } from '../../../ids.ts';
import type { ContinuousQuery } from './schemas.ts';

export const QUERY_COLUMNS = [
  'id',
  'team_id',
  'slug',
  'title',
  'query_type',
  'timeframe',
  'query',
  'config',
  'active',
  'revision',
  'created_at',
  'updated_at',
] as const;

type Columns = Pick<Selectable<DB['continuous_queries']>, (typeof QUERY_COLUMNS)[number]>;
type Shape = Static<typeof ContinuousQuery>;
export type QueryRow = Omit<Columns, keyof QueryDefinition> & QueryDefinition;
type QueryDefinition = Pick<Shape, 'query_type' | 'timeframe' | 'query' | 'config'>;

/** Returns a continuous query of the team. Throws not_found. A deleted query is not found either. */
export async function findContinuousQuery({ db, team }: TeamCtx, idOrSlug: string): Promise<QueryRow> {
  const row = await db
    .selectFrom('continuous_queries')
    .select(QUERY_COLUMNS)
    .where('team_id', '=', team.id)
    .where('deleted_at', 'is', null)
    .where(isUuid(idOrSlug) ? 'id' : 'slug', '=', idOrSlug)
    .executeTakeFirst();
  if (!row) throw notFound('Continuous query');
  return row as QueryRow;
}

/**
 * Returns all continuous queries of the team in the order of their creation. A team has few queries, so the list has no
 * pages.
 */
export async function listContinuousQueries({ db, team }: TeamCtx): Promise<QueryRow[]> {
  const rows = await db
    .selectFrom('continuous_queries')
    .select(QUERY_COLUMNS)
    .where('team_id', '=', team.id)
    .where('deleted_at', 'is', null)
    .orderBy('id')
    .execute();
  return rows as QueryRow[];
}
