// Providers tell seldom how long a heart beat how fast in a workout: it follows from the points of the workout, or else from the
// heart rates that came as samples of that time.
import type { TeamCtx, TxCtx } from '../../../context.ts';
import type { UserRow } from '../../../users/find.ts';
import { setValue, type Candidate } from '../candidate.ts';
import type { StoredRow } from '../rows.ts';
import { findBirthDateOrNull } from './find-birth-date.ts';
import { findHeartRates, findRates, type HeartRates } from './find-rates.ts';
import { zonesOf, type Rates } from './zones.ts';

export const ZONES = 'hr_zones';

/** Gives workouts that came without zones those that follow from their rates. What the provider says itself stays. */
export async function addZones(ctx: TxCtx<TeamCtx>, user: UserRow, workouts: Candidate[]): Promise<void> {
  let heartRates: HeartRates | undefined;
  let birthDate: Promise<string | null> | undefined;
  for (const workout of workouts) {
    const { start_at, end_at } = workout;
    if (workout.values[ZONES] !== undefined || start_at === null || end_at === null) continue;
    let rates = ratesOfPoints(workout);
    const isFromSamples = rates === null;
    if (isFromSamples) {
      heartRates ??= await findHeartRates(ctx, user);
      if (heartRates.streams.length === 0) continue;
      rates = await findRates(ctx, heartRates, { ...workout, start_at, end_at });
    }
    if (!rates?.time.length) continue;
    birthDate ??= findBirthDateOrNull(ctx, user);
    const zones = zonesOf(rates, Date.parse(end_at) / 1_000, await birthDate);
    if (zones === null) continue;
    setValue(ctx, workout, ZONES, zones);
    workout.zones_from_samples = isFromSamples;
  }
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
