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
import { willBePublished } from '../../is-published.ts';
import { asWriter, type Writer } from '../../user-writer.ts';
import { contentHash } from '../new-summary.ts';
import { eventsOf } from '../events.ts';
import { pruned } from '../fields.ts';
import { renderSummary, RENDERED_COLUMNS, type RenderedRow } from '../render.ts';
import { workout } from '../resources/workout.ts';
import { ZONES } from './add-zones.ts';
import { findBirthDateOrNull } from './find-birth-date.ts';
import { findHeartRates, findRatesOrNull, MAX_RATES, sumZones, type HeartRates } from './find-zones.ts';

/**
 * The job that computes the zones of workouts, if heart rates were added, changed or deleted after the workout was
 * stored.
 */
export const zonesJob = defineTeamJob({ ...zonesKind, run: computeZones });

/** The most workouts of one step. Other writers of the user's data wait during a step. */
const MAX_WORKOUTS = 20;
const MAX_MS = 250;
/**
 * After a step, the next step of the same user waits ten times as long as the step took, so that other work can run in
 * between.
 */
const REST = 10;

/**
 * Computes the zones of a user's marked workouts, if their source has sent none, and publishes the workouts whose zones
 * changed. Does this for some of them, and requests the job again for the others.
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
  for (const row of marked.slice(0, MAX_WORKOUTS)) {
    if (done.length > 0 && performance.now() - begin > MAX_MS) break;
    if (row.waits) {
      const zones = await zonesFor(tx, row, { heartRates, birthDate });
      await replaceZones({ ...tx, origin: row.zones_asked }, user, { row, zones });
    }
    done.push(row.id);
  }
  await sql`
    update summaries set zones_asked = null
     where user_id = ${user.id} and team_id = ${tx.team.id} and zones_asked is not null
       and id = any (${done}::uuid[])`.execute(tx.db);
  const restSeconds = (REST * (performance.now() - begin)) / 1_000;
  if (done.length < marked.length || restSeconds > GATHER_SECONDS)
    await addJob(tx.db, zonesKind, job, { delaySeconds: restSeconds, shouldPreserveRunAt: true });
}

type Row = RenderedRow & {
  start_at: string;
  end_at: string;
  values: Record<string, unknown>;
  zones_asked: Origin;
  /** True if the source has sent no zones for the workout, so they must be computed. */
  waits: boolean;
};

const COLUMNS = sql.raw([...RENDERED_COLUMNS, 'start_at', 'end_at'].join(', '));

/**
 * Returns the marked workouts, the latest first, one more than a step computes. The additional one shows that another
 * step is needed.
 */
async function findMarked({ db, team }: Writer, user: UserRow): Promise<Row[]> {
  const { rows } = await sql<Row>`
    select ${COLUMNS}, zones_asked,
           (zones_from_samples or not "values" ? ${ZONES}::text) and start_at is not null
             and end_at is not null as waits
      from ${sql.table('summaries')} as summaries
     where user_id = ${user.id} and team_id = ${team.id} and zones_asked is not null
     order by start_at desc limit ${MAX_WORKOUTS + 1}
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
  return (await sumZones(ctx, row, { rates, birthDate, most: MAX_RATES })).zones;
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
  const { rows } = await sql<RenderedRow>`
    update summaries set values = ${JSON.stringify(values)}::jsonb,
      content_hash = ${contentHash(ctx, { ...row, values, texts })},
           zones_from_samples = ${zones !== null}, rev = rev + 1,
           updated_at = greatest(clock_timestamp(), updated_at + interval '1 millisecond')
     where user_id = ${user.id} and team_id = ${ctx.team.id} and id = ${row.id}
    returning ${COLUMNS}`.execute(ctx.db);
  if (willBePublished(ctx)) {
    const data = renderSummary(ctx, workout, rows[0] as RenderedRow);
    await publishEvent(ctx, eventsOf(workout).updated, { user, data, origin: ctx.origin } as never);
  }
  await askForRuns(ctx, user, [workout.name]);
}
