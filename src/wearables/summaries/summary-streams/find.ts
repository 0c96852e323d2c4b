import type { Static } from 'typebox';
import type { TeamCtx } from '../../../context.ts';
import { notFound } from '../../../errors.ts';
import { findUser } from '../../../users/find.ts';
import { filled } from '../fields.ts';
import { unitOf, WorkoutStream, type SleepStream } from './schemas.ts';

/** Returns the points of a workout; empty columns if it came without points. */
export async function findWorkoutStream(ctx: TeamCtx, workoutId: string): Promise<Static<typeof WorkoutStream>> {
  const { points } = await findPoints(ctx, 'workouts', workoutId);
  return filled(WorkoutStream, points ?? { time: [] }) as Static<typeof WorkoutStream>;
}

type Measured = { time: number[]; value: number[] };
type Stages = { start: number[]; end: number[]; value: number[] };

/** Returns the stages and samples of a sleep; empty lists if it came without them. */
export async function findSleepStream(ctx: TeamCtx, sleepId: string): Promise<Static<typeof SleepStream>> {
  const { points, timezone_offset } = await findPoints(ctx, 'sleep', sleepId);
  const columns = (points ?? {}) as Record<string, unknown>;
  const sampleOf = (name: string) => ({ id: null, timezone_offset, type: null, unit: unitOf(name) });
  const samples = (name: string) => {
    const { time, value } = (columns[name] ?? { time: [], value: [] }) as Measured;
    return time.map((at, n) => ({ ...sampleOf(name), timestamp: moment(at), value: value[n] as number }));
  };
  const { start, end, value } = (columns['hypnogram'] ?? { start: [], end: [], value: [] }) as Stages;
  const hypnogram = start.map((from, n) => ({
    ...sampleOf('hypnogram'),
    timestamp: moment(from),
    start: moment(from),
    end: moment(end[n] as number),
    value: value[n] as number,
  }));
  return {
    hrv: samples('hrv'),
    heartrate: samples('heartrate'),
    hypnogram,
    respiratory_rate: samples('respiratory_rate'),
  };
}

const moment = (seconds: number): string => new Date(seconds * 1_000).toISOString();

/**
 * Returns the stored points. Throws not_found if the team has no such summary, or if its user does not exist any more.
 */
async function findPoints(
  ctx: TeamCtx,
  resource: 'workouts' | 'sleep',
  id: string,
): Promise<{ points: unknown; timezone_offset: number | null }> {
  const { db, team, cipher } = ctx;
  const summary = await db
    .selectFrom('summaries')
    .select(['user_id', 'values'])
    .where('team_id', '=', team.id)
    .where('id', '=', id)
    .where('resource', '=', resource)
    .executeTakeFirst();
  if (!summary) throw notFound(resource === 'sleep' ? 'Sleep' : 'Workout');
  await findUser(ctx, summary.user_id);
  const parts = await db
    .selectFrom('summary_streams')
    .select(['part', 'content'])
    .where('user_id', '=', summary.user_id)
    .where('team_id', '=', team.id)
    .where('summary_id', '=', id)
    .orderBy('part')
    .execute();
  const text = parts
    .map(({ part, content }) =>
      cipher.openText('summary_streams.content', { team_id: team.id, id: `${id}/${part}` }, content),
    )
    .join('');
  const { timezone_offset = null } = summary.values as { timezone_offset?: number | null };
  return { points: text === '' ? null : JSON.parse(text), timezone_offset };
}
