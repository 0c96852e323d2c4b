// Heart rates that come, change or go ask for the zones of the workouts that they lie in. They are computed in a room above
// (summaries/heart-rate-zones): here is only which workouts, which every write of heart rates pays for.
import { sql } from 'kysely';
import { Type } from 'typebox';
import { addJobsOf, jobKind } from '../db/define-job.ts';
import { ORIGINS } from '../events/origin.ts';
import { oneOf, Uuid } from '../wire/schema.ts';
import type { Writer } from './one-writer.ts';

/** The zones of one workout. `origin`: of the heart rates, which the event tells. */
export const zonesKind = jobKind({
  name: 'compute_zones',
  payload: Type.Object({ team_id: Uuid, user_id: Uuid, workout_id: Uuid, origin: oneOf(ORIGINS) }),
  key: ({ workout_id, origin }) => `zones ${workout_id} ${origin}`,
  class: 'queries',
});

/** Since the last write: a phone that sends a workout in many pieces is told of its zones once. */
const GATHER_SECONDS = 15;
/** Of one write. Who has more at the same time gets the zones of the others when they come again, or more heart rates do. */
const MOST_WORKOUTS = 200;

/** The length of a time in ISO 8601 up to its hour. */
const HOUR = 13;

/** Asks for the zones of the workouts without zones of their own in which heart rates have changed at these times. */
export async function askForZones({ db, team, origin }: Writer, user: { id: string }, times: string[]): Promise<void> {
  if (times.length === 0) return;
  const spans = new Map<string, { first: string; last: string }>();
  for (const at of times) {
    const span = spans.get(at.slice(0, HOUR));
    if (!span) spans.set(at.slice(0, HOUR), { first: at, last: at });
    else if (at < span.first) span.first = at;
    else if (at > span.last) span.last = at;
  }
  const all = [...spans.values()];
  await addJobsOf(db, zonesKind, {
    rows: sql`
      select json_build_object('team_id', ${team.id}::uuid, 'user_id', ${user.id}::uuid, 'workout_id', id, 'origin', ${origin}::text),
             'zones ' || id || ' ' || ${origin}::text
        from workouts_to_zone(${team.id}, ${user.id}, ${all.map(({ first }) => first)}::timestamptz[],
                              ${all.map(({ last }) => last)}::timestamptz[], ${MOST_WORKOUTS})`,
    owner: team.id,
    delaySeconds: GATHER_SECONDS,
  });
}
