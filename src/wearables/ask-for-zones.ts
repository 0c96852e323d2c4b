// When heart rates are added, changed or deleted, this file requests the heart-rate zones of the workouts at these
// times: how long the heart beat in each range of rates. It only finds the workouts, so that writes of heart rates stay
// fast. summaries/heart-rate-zones computes the zones.
import { sql, type RawBuilder } from 'kysely';
import { Type } from 'typebox';
import { addJobsOf, jobKind } from '../db/define-job.ts';
import { Uuid } from '../wire/schema.ts';
import type { Writer } from './user-writer.ts';

/** The job that computes the zones of those workouts of a user that are marked in `summaries.zones_asked`. */
export const zonesKind = jobKind({
  name: 'compute_zones',
  payload: Type.Object({ team_id: Uuid, user_id: Uuid }),
  key: ({ user_id }) => `zones ${user_id}`,
  class: 'queries',
});

/**
 * The seconds from the last write of heart rates to the computation. A phone may send a workout in many parts. With
 * this wait, Phial publishes one event about its zones and not one for each part.
 */
export const GATHER_SECONDS = 15;
/**
 * The most workouts for which one write of heart rates requests zones. The other workouts get their zones when more of
 * their heart rates arrive, or when the workout itself arrives again.
 */
const MAX_WORKOUTS = 200;

/** The length of an ISO 8601 time up to and including its hour: `2026-03-01T09`. */
const HOUR = 13;

/**
 * Requests zones for the workouts during which heart rates have changed. `times` are the times of these heart rates. If
 * the source of a workout has reported zones, Phial keeps them.
 */
export async function askForZones(ctx: Writer, user: { id: string }, times: string[]): Promise<void> {
  if (times.length === 0) return;
  const spans = new Map<string, { hour: string; first: string; last: string }>();
  let span: { hour: string; first: string; last: string } | undefined;
  for (const at of times) {
    // Most times are in the same hour as the time before. So we compare the text of the hour and parse few times.
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
                  ${all.map(({ last }) => last)}::timestamptz[], ${ctx.origin}, ${MAX_WORKOUTS})`,
  );
}

/** Requests the computation of the zones of the user's workouts that are already marked in `summaries.zones_asked`. */
export const askForMarkedZones = (ctx: Writer, user: { id: string }): Promise<void> => askWhere(ctx, user, sql`true`);

const askWhere = ({ db, team }: Writer, user: { id: string }, condition: RawBuilder<unknown>): Promise<void> =>
  addJobsOf(db, zonesKind, {
    rows: sql`
      select json_build_object('team_id', ${team.id}::uuid, 'user_id', ${user.id}::uuid), 'zones ' || ${user.id}::text
       where ${condition}`,
    owner: team.id,
    delaySeconds: GATHER_SECONDS,
  });
