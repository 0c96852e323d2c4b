import { sql } from 'kysely';
import type { Static } from 'typebox';
import type { TeamCtx } from '../../../context.ts';
import { addJob } from '../../../db/define-job.ts';
import { AppError } from '../../../errors.ts';
import type { Origin } from '../../../events/origin.ts';
import { publishEvent } from '../../../events/publish.ts';
import type { UserRow } from '../../../users/find.ts';
import { defineTeamJob } from '../../../tenancy/teams/define-team-job.ts';
import { askForRuns } from '../../ask-for-runs.ts';
import { GATHER_SECONDS, zonesKind } from '../../ask-for-zones.ts';
import { isTold } from '../../is-told.ts';
import { asWriter, type Writer } from '../../one-writer.ts';
import { toldHash } from '../candidate.ts';
import { eventsOf } from '../events.ts';
import { pruned } from '../fields.ts';
import { renderSummary, TOLD_COLUMNS, type ToldRow } from '../render.ts';
import { workout } from '../resources/workout.ts';
import { ZONES } from './add-zones.ts';
import { findBirthDateOrNull } from './find-birth-date.ts';
import { findHeartRates, findRatesOrNull, MOST_RATES, sumZones, type HeartRates } from './find-zones.ts';

/** What heart rates asked for that came, changed or went after the workout was stored. */
export const zonesJob = defineTeamJob({ ...zonesKind, run: computeZones });

/** Of one step, which keeps the user from other writers. */
const MOST_WORKOUTS = 20;
const MOST_MS = 250;
/** How many times as long as a step took until the next one of the user: others have their turn, whatever was asked for. */
const REST = 10;

/**
 * Computes the zones of the stored workouts of a user that are marked, unless they have zones of their own, and tells of those
 * that differ: some of them, and asks for the others.
 */
async function computeZones(ctx: TeamCtx, job: Static<(typeof zonesKind)['payload']>): Promise<void> {
  try {
    await asWriter(ctx, { ...job, origin: 'live' }, (tx, user) => computeSome(tx, user, job));
  } catch (error) {
    if (!(error instanceof AppError && ['not_found', 'user_scheduled_for_deletion'].includes(error.code))) throw error;
  }
}

async function computeSome(tx: Writer, user: UserRow, job: Static<(typeof zonesKind)['payload']>): Promise<void> {
  const begin = performance.now();
  const marked = await findMarked(tx, user);
  if (marked.length === 0) return;
  const heartRates = await findHeartRates(tx, user);
  const birthDate = await findBirthDateOrNull(tx, user);
  const done: string[] = [];
  for (const row of marked.slice(0, MOST_WORKOUTS)) {
    if (done.length > 0 && performance.now() - begin > MOST_MS) break;
    if (row.waits) {
      const zones = await zonesFor(tx, row, { heartRates, birthDate });
      await replaceZones({ ...tx, origin: row.zones_asked }, user, { row, zones });
    }
    done.push(row.id);
  }
  await sql`
    update summaries set zones_asked = null
     where user_id = ${user.id} and team_id = ${tx.team.id} and zones_asked is not null and id = any (${done}::uuid[])`.execute(
    tx.db,
  );
  const restSeconds = (REST * (performance.now() - begin)) / 1_000;
  if (done.length < marked.length || restSeconds > GATHER_SECONDS)
    await addJob(tx.db, zonesKind, job, { delaySeconds: restSeconds, keepsMoment: true });
}

type Row = ToldRow & {
  start_at: string;
  end_at: string;
  values: Record<string, unknown>;
  zones_asked: Origin;
  /** Whether it has no zones of its own. */
  waits: boolean;
};

const COLUMNS = sql.raw([...TOLD_COLUMNS, 'start_at', 'end_at'].join(', '));

/** The later ones first, and one more than are computed at once. */
async function findMarked({ db, team }: Writer, user: UserRow): Promise<Row[]> {
  const { rows } = await sql<Row>`
    select ${COLUMNS}, zones_asked,
           (zones_from_samples or not "values" ? ${ZONES}::text) and start_at is not null and end_at is not null as waits
      from ${sql.table('summaries')} as summaries
     where user_id = ${user.id} and team_id = ${team.id} and zones_asked is not null
     order by start_at desc limit ${MOST_WORKOUTS + 1}
       for no key update`.execute(db);
  return rows;
}

async function zonesFor(
  ctx: Writer,
  row: Row,
  { heartRates, birthDate }: { heartRates: HeartRates; birthDate: string | null },
): Promise<number[] | null> {
  const rates = await findRatesOrNull(ctx, heartRates, row);
  if (!rates) return null;
  return (await sumZones(ctx, row, { rates, birthDate, most: MOST_RATES })).zones;
}

async function replaceZones(
  ctx: Writer,
  user: UserRow,
  { row, zones }: { row: Row; zones: number[] | null },
): Promise<void> {
  const { [ZONES]: before, ...others } = row.values;
  if (JSON.stringify(before ?? null) === JSON.stringify(zones)) return;
  const values = pruned(zones === null ? others : { ...others, [ZONES]: zones }) as Record<string, unknown>;
  const texts = row.texts && ctx.cipher.openJson<Record<string, unknown>>('summaries.texts', row, row.texts);
  const { rows } = await sql<ToldRow>`
    update summaries set values = ${JSON.stringify(values)}::jsonb, told_hash = ${toldHash(ctx, { ...row, values, texts })},
           zones_from_samples = ${zones !== null}, rev = rev + 1,
           updated_at = greatest(clock_timestamp(), updated_at + interval '1 millisecond')
     where user_id = ${user.id} and team_id = ${ctx.team.id} and id = ${row.id}
    returning ${COLUMNS}`.execute(ctx.db);
  if (isTold(ctx)) {
    const data = renderSummary(ctx, workout, rows[0] as ToldRow);
    await publishEvent(ctx, eventsOf(workout).updated, { user, data, origin: ctx.origin } as never);
  }
  await askForRuns(ctx, user, [workout.name]);
}
