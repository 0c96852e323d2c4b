import type { Static } from 'typebox';
import type { TeamCtx } from '../../context.ts';
import { renderSource } from '../source.ts';
import { filled } from './fields.ts';
import type { SummaryResource } from './resource.ts';
import type { ShallowWorkoutStream } from './summary-streams/schemas.ts';

/** The columns that we need to render a summary. */
export const RENDERED_COLUMNS = [
  'id',
  'user_id',
  'team_id',
  'provider',
  'source_type',
  'provider_id',
  'app_id',
  'device_id',
  'calendar_date',
  'values',
  'texts',
  'created_at',
  'updated_at',
] as const;

export type RenderedRow = {
  id: string;
  user_id: string;
  team_id: string;
  provider: string;
  source_type: string;
  provider_id: string | null;
  app_id: string | null;
  device_id: string | null;
  calendar_date: string | null;
  values: unknown;
  texts: Buffer | null;
  created_at: string;
  updated_at: string;
};

/** Returns a stored summary as responses and events have it, by the schema of its resource. */
export function renderSummary(
  { cipher, config }: TeamCtx,
  resource: SummaryResource,
  row: RenderedRow,
): Record<string, unknown> {
  const { values, texts, ...columns } = row;
  const fields = {
    ...columns,
    ...(values as Record<string, unknown>),
    ...(texts ? cipher.openJson<Record<string, unknown>>('summaries.texts', row, texts) : {}),
  };
  const rendered = {
    ...fields,
    date: dayAsMoment(row.calendar_date),
    provider_id: row.provider_id ?? row.id,
    priority_id: 0,
    source_id: 0,
    source: renderSource(config, row),
    source_provider: row.provider,
    source_app_id: row.app_id,
    source_device_id: row.device_id,
    ...resource.derived?.(fields),
  };
  return filled(resource.shape, rendered) as Record<string, unknown>;
}

/** Returns a calendar date in the deprecated form: the first moment of the day in UTC. */
const dayAsMoment = (date: string | null): string | null => date && `${date}T00:00:00.000Z`;

/**
 * Returns the data of an event about the points of a workout. It names the workout only; an operation returns the
 * points.
 */
export function renderShallowStream(
  ctx: TeamCtx,
  resource: SummaryResource,
  row: RenderedRow,
): Static<typeof ShallowWorkoutStream> {
  const workout = renderSummary(ctx, resource, row) as Pick<
    Static<typeof ShallowWorkoutStream>,
    'provider_id' | 'sport'
  >;
  return {
    user_id: row.user_id,
    workout_id: row.id,
    provider_id: workout.provider_id,
    message: `The points are read at /v2/timeseries/workouts/${row.id}/stream.`,
    source: renderSource(ctx.config, { ...row, sport: workout.sport.slug, workout_id: row.id }),
    sport: workout.sport,
  };
}

/** Returns a stored summary as its provider sent it. */
export function renderRaw(
  ctx: TeamCtx,
  resource: SummaryResource,
  row: RenderedRow & { start_at: string | null; raw: Buffer },
): Record<string, unknown> {
  const { name, slug, logo } = renderSource(ctx.config, row);
  return {
    ...resource.derived?.(row.values as Record<string, unknown>),
    id: row.id,
    user_id: row.user_id,
    timestamp: row.start_at,
    data: ctx.cipher.openJson('summaries.raw', row, row.raw),
    provider_id: row.provider_id ?? row.id,
    source_id: 0,
    priority_id: 0,
    priority: null,
    source_device_id: row.device_id,
    created_at: row.created_at,
    updated_at: row.updated_at,
    source: { name, slug, logo },
  };
}
