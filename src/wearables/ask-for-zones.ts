// Heart rates that come, change or go ask for the zones of the workouts that they lie in. They are computed in a room above
// (summaries/heart-rate-zones): here is only which workouts, which every write of heart rates pays for.
import { sql, type RawBuilder } from 'kysely';
import { Type } from 'typebox';
import { addJobsOf, jobKind } from '../db/define-job.ts';
import { Uuid } from '../wire/schema.ts';
import type { Writer } from './one-writer.ts';

/** The zones of the workouts of a user that are marked in `summaries.zones_asked`. */
export const zonesKind = jobKind({
  name: 'compute_zones',
  payload: Type.Object({ team_id: Uuid, user_id: Uuid }),
  key: ({ user_id }) => `zones ${user_id}`,
  class: 'queries',
});

/** Since the last write: a phone that sends a workout in many pieces is told of its zones once. */
export const GATHER_SECONDS = 15;
/** Of one write. Who has more at the same time gets the zones of the others when they come again, or more heart rates do. */
const MOST_WORKOUTS = 200;

/** The length of a time in ISO 8601 up to its hour. */
const HOUR = 13;

/** Asks for the zones of the workouts without zones of their own in which heart rates have changed at these times. */
export async function askForZones(ctx: Writer, user: { id: string }, times: string[]): Promise<void> {
  if (times.length === 0) return;
  const spans = new Map<string, { hour: string; first: string; last: string }>();
  let span: { hour: string; first: string; last: string } | undefined;
  for (const at of times) {
    // Most lie in the hour of the one before.
    if (!span || !at.startsWith(span.hour)) {
      const hour = at.slice(0, HOUR);
      span = spans.get(hour);
      if (!span) spans.set(hour, (span = { hour, first: at, last: at }));
    }
    if (at < span.first) span.first = at;
    else if (at > span.last) span.last = at;
  }
  const all = [...spans.values()];
  await askWhere(
    ctx,
    user,
    sql`
    ask_for_zones(${ctx.team.id}, ${user.id}, ${all.map(({ first }) => first)}::timestamptz[],
                  ${all.map(({ last }) => last)}::timestamptz[], ${ctx.origin}, ${MOST_WORKOUTS})`,
  );
}

/** Asks for the zones of the workouts of a user that are marked. */
export const askForMarkedZones = (ctx: Writer, user: { id: string }): Promise<void> => askWhere(ctx, user, sql`true`);

const askWhere = ({ db, team }: Writer, user: { id: string }, condition: RawBuilder<unknown>): Promise<void> =>
  addJobsOf(db, zonesKind, {
    rows: sql`
      select json_build_object('team_id', ${team.id}::uuid, 'user_id', ${user.id}::uuid), 'zones ' || ${user.id}::text
       where ${condition}`,
    owner: team.id,
    delaySeconds: GATHER_SECONDS,
  });
