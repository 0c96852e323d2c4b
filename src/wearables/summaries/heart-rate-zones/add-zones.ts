// Providers tell seldom how long a heart beat how fast in a workout: it follows from the points of the workout, or else from the
// heart rates that came as samples of that time.
import type { TeamCtx, TxCtx } from '../../../context.ts';
import type { UserRow } from '../../../users/find.ts';
import { askForMarkedZones } from '../../ask-for-zones.ts';
import type { Writer } from '../../one-writer.ts';
import { setValue, type Candidate } from '../candidate.ts';
import type { StoredRow } from '../rows.ts';
import { findBirthDateOrNull } from './find-birth-date.ts';
import { findHeartRates, findRatesOrNull, sumZones, type HeartRates } from './find-zones.ts';
import { zonesOf, type Rates } from './zones.ts';

export const ZONES = 'hr_zones';

/**
 * What is read and waited for at once, in the request that brings the workouts, is bounded: the samples of eleven hours at one a
 * second. What is more comes by the job that heart rates ask for.
 */
const MOST_RATES_AT_ONCE = 40_000;
const MOST_MS_AT_ONCE = 200;

/** Gives workouts that came without zones those that follow from their rates. What the provider says itself stays. */
export async function addZones(
  ctx: Writer,
  user: UserRow,
  workouts: Candidate[],
  knownOf: (workout: Candidate) => StoredRow | undefined,
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

type Session = Candidate & { start_at: string; end_at: string };

const isSession = (workout: Candidate): workout is Session => workout.start_at !== null && workout.end_at !== null;

/** Those of the workouts that are too many or too long to be done at once are left. */
async function addZonesOfSamples(
  ctx: Writer,
  user: UserRow,
  workouts: Session[],
  birthDate: () => Promise<string | null>,
): Promise<Session[]> {
  if (workouts.length === 0) return [];
  const heartRates: HeartRates = await findHeartRates(ctx, user);
  if (heartRates.streams.length === 0) return [];
  const until = performance.now() + MOST_MS_AT_ONCE;
  let most = MOST_RATES_AT_ONCE;
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

/** It has the zones that are known until the job has computed them anew, so that nothing is told that is known not to last. */
function leaveToJob(ctx: Writer, workout: Candidate, known: StoredRow | undefined): void {
  workout.awaits_zones = true;
  const zones = known?.zones_from_samples && (known.values as Record<string, unknown>)[ZONES];
  if (!zones) return;
  setValue(ctx, workout, ZONES, zones);
  workout.zones_from_samples = true;
}

/** Points that came before are kept where a later version comes without them, and so are their zones. */
export function keepZones(ctx: TxCtx<TeamCtx>, workout: Candidate, known: StoredRow | undefined): void {
  if (!known?.stream_hash || known.zones_from_samples || workout.stream || workout.values[ZONES] !== undefined) return;
  const zones = (known.values as Record<string, unknown>)[ZONES];
  if (zones !== undefined) setValue(ctx, workout, ZONES, zones);
}

function ratesOfPoints({ stream }: Candidate): Rates | null {
  if (!stream) return null;
  const { time, heartrate } = JSON.parse(stream.text) as Partial<Rates>;
  return time && heartrate?.length ? { time, heartrate } : null;
}
