// Heart-rate zones are the seconds that the heart beat in each range of rates. Providers seldom send them. This file
// computes them from the points of a workout, or else from the heart rates that were measured at its time.
import type { TeamCtx, TxCtx } from '../../../context.ts';
import type { UserRow } from '../../../users/find.ts';
import { askForMarkedZones } from '../../ask-for-zones.ts';
import type { Writer } from '../../user-writer.ts';
import { setValue, type NewSummary } from '../new-summary.ts';
import type { StoredRow } from '../stored-rows.ts';
import { findBirthDateOrNull } from './find-birth-date.ts';
import { findHeartRates, findRatesOrNull, sumZones, type HeartRates } from './find-zones.ts';
import { zonesOf, type Rates } from './zones.ts';

export const ZONES = 'hr_zones';

/**
 * The most heart rates that we read while the request with the workouts waits: eleven hours with one rate a second. For
 * further workouts, a job computes the zones (ask-for-zones.ts).
 */
const MAX_RATES_AT_ONCE = 40_000;
const MAX_MS_AT_ONCE = 200;

/** Computes the zones of workouts that came without any. Zones that the provider has sent stay. */
export async function addZones(
  ctx: Writer,
  user: UserRow,
  workouts: NewSummary[],
  knownOf: (workout: NewSummary) => StoredRow | undefined,
): Promise<void> {
  let found: Promise<string | null> | undefined;
  const birthDate = (): Promise<string | null> => (found ??= findBirthDateOrNull(ctx, user));
  const without: Session[] = [];
  for (const workout of workouts) {
    if (!isSession(workout) || workout.values[ZONES] !== undefined) continue;
    const rates = ratesOfPoints(workout);
    if (!rates) without.push(workout);
    else if (rates.time.length > 0) {
      const zones = zonesOf(rates, Date.parse(workout.end_at) / 1_000, await birthDate());
      if (zones) setValue(ctx, workout, ZONES, zones);
    }
  }
  const left = await addZonesOfSamples(ctx, user, without, birthDate);
  for (const workout of left) leaveToJob(ctx, workout, knownOf(workout));
  if (left.length > 0) await askForMarkedZones(ctx, user);
}

type Session = NewSummary & { start_at: string; end_at: string };

const isSession = (workout: NewSummary): workout is Session => workout.start_at !== null && workout.end_at !== null;

/**
 * Computes zones from samples. Returns the workouts that it did not compute, because there are too many or they are too
 * long.
 */
async function addZonesOfSamples(
  ctx: Writer,
  user: UserRow,
  workouts: Session[],
  birthDate: () => Promise<string | null>,
): Promise<Session[]> {
  if (workouts.length === 0) return [];
  const heartRates: HeartRates = await findHeartRates(ctx, user);
  if (heartRates.streams.length === 0) return [];
  const until = performance.now() + MAX_MS_AT_ONCE;
  let most = MAX_RATES_AT_ONCE;
  for (const [n, workout] of workouts.entries()) {
    await ctx.giveWay?.();
    if (performance.now() > until) return workouts.slice(n);
    const rates = await findRatesOrNull(ctx, heartRates, workout);
    if (!rates) continue;
    const asked = { rates, birthDate: await birthDate(), most: most + 1 };
    const { count, zones } = await sumZones(ctx, workout, asked);
    if (count > most) return workouts.slice(n);
    most -= count;
    if (!zones) continue;
    setValue(ctx, workout, ZONES, zones);
    workout.zones_from_samples = true;
  }
  return [];
}

/**
 * Leaves the zones to a job. Until the job has run, the workout has its stored zones. Otherwise Phial would publish it
 * without zones, and soon once more with zones.
 */
function leaveToJob(ctx: Writer, workout: NewSummary, known: StoredRow | undefined): void {
  workout.awaits_zones = true;
  const zones = known?.zones_from_samples && (known.values as Record<string, unknown>)[ZONES];
  if (!zones) return;
  setValue(ctx, workout, ZONES, zones);
  workout.zones_from_samples = true;
}

/**
 * Retains the stored zones, which belong to the stored points, if a later version of the workout comes without points.
 */
export function retainZones(ctx: TxCtx<TeamCtx>, workout: NewSummary, known: StoredRow | undefined): void {
  if (!known?.stream_hash || known.zones_from_samples || workout.stream || workout.values[ZONES] !== undefined) return;
  const zones = (known.values as Record<string, unknown>)[ZONES];
  if (zones !== undefined) setValue(ctx, workout, ZONES, zones);
}

function ratesOfPoints({ stream }: NewSummary): Rates | null {
  if (!stream) return null;
  const { time, heartrate } = JSON.parse(stream.text) as Partial<Rates>;
  return time && heartrate?.length ? { time, heartrate } : null;
}
