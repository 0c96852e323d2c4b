import { sql } from 'kysely';
import type { Static } from 'typebox';
import type { TeamCtx } from '../../../context.ts';
import { AppError } from '../../../errors.ts';
import { publishEvent } from '../../../events/publish.ts';
import type { UserRow } from '../../../users/find.ts';
import { defineTeamJob } from '../../../tenancy/teams/define-team-job.ts';
import { askForRuns } from '../../ask-for-runs.ts';
import { zonesKind } from '../../ask-for-zones.ts';
import { isTold } from '../../is-told.ts';
import { asWriter, type Writer } from '../../one-writer.ts';
import { toldHash } from '../candidate.ts';
import { eventsOf } from '../events.ts';
import { pruned } from '../fields.ts';
import { renderSummary, TOLD_COLUMNS, type ToldRow } from '../render.ts';
import { workout } from '../resources/workout.ts';
import { ZONES } from './add-zones.ts';
import { findBirthDateOrNull } from './find-birth-date.ts';
import { findHeartRates, findRates } from './find-rates.ts';
import { zonesOf } from './zones.ts';

/** What heart rates asked for that came, changed or went after the workout was stored. */
export const zonesJob = defineTeamJob({ ...zonesKind, run: computeZones });

/** Computes the zones of a stored workout anew, unless it has zones of its own, and tells of the workout where they differ. */
async function computeZones(ctx: TeamCtx, job: Static<(typeof zonesKind)['payload']>): Promise<void> {
  try {
    await asWriter(ctx, job, async (tx, user) => {
      const row = await findOrNull(tx, job);
      if (row) await replaceZones(tx, user, { row, zones: await zonesFor(tx, user, row) });
    });
  } catch (error) {
    if (!(error instanceof AppError && ['not_found', 'user_scheduled_for_deletion'].includes(error.code))) throw error;
  }
}

type Row = ToldRow & { start_at: string; end_at: string; values: Record<string, unknown> };

const COLUMNS = sql.raw([...TOLD_COLUMNS, 'start_at', 'end_at'].join(', '));

async function findOrNull(
  { db, team }: Writer,
  { user_id, workout_id }: { user_id: string; workout_id: string },
): Promise<Row | null> {
  const { rows } = await sql<Row>`
    select ${COLUMNS} from summaries
     where user_id = ${user_id} and team_id = ${team.id} and id = ${workout_id} and resource = 'workouts'
       and (zones_from_samples or not "values" ? ${ZONES}::text) and start_at is not null and end_at is not null
       for no key update`.execute(db);
  return rows[0] ?? null;
}

async function zonesFor(ctx: Writer, user: UserRow, row: Row): Promise<number[] | null> {
  const rates = await findRates(ctx, await findHeartRates(ctx, user), row);
  if (rates.time.length === 0) return null;
  return zonesOf(rates, Date.parse(row.end_at) / 1_000, await findBirthDateOrNull(ctx, user));
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
