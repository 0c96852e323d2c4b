// Providers tell seldom how long a heart beat how fast in a workout: it follows from the points of the workout, or else from the
// heart rates that the same source has told of that time.
import type { TeamCtx, TxCtx } from '../../../context.ts';
import type { UserRow } from '../../../users/find.ts';
import { setValue, type Candidate } from '../candidate.ts';
import type { StoredRow } from '../rows.ts';
import { findBirthDateOrNull } from './find-birth-date.ts';
import { findRates, type Span } from './find-rates.ts';
import { zonesOf, type Rates } from './zones.ts';

const NAME = 'hr_zones';

/** Gives workouts that came without zones those that follow from their rates. What the provider says itself stays. */
export async function addZones(ctx: TxCtx<TeamCtx>, user: UserRow, workouts: Candidate[]): Promise<void> {
  const without = workouts.filter(({ values }) => values[NAME] === undefined);
  let birthDate: Promise<string | null> | undefined;
  for (const workout of without) {
    const rates = await ratesOf(ctx, user, workout);
    if (rates === null || rates.time.length === 0) continue;
    birthDate ??= findBirthDateOrNull(ctx, user);
    const zones = zonesOf(rates, Date.parse(workout.end_at as string) / 1_000, await birthDate);
    if (zones !== null) setValue(ctx, workout, NAME, zones);
  }
}

/** Points that came before are kept where a later version comes without them, and so are their zones. */
export function keepZones(ctx: TxCtx<TeamCtx>, workout: Candidate, known: StoredRow | undefined): void {
  const zones = (known?.values as Record<string, unknown> | undefined)?.[NAME];
  if (known?.stream_hash && workout.stream === null && workout.values[NAME] === undefined && zones !== undefined)
    setValue(ctx, workout, NAME, zones);
}

async function ratesOf(ctx: TxCtx<TeamCtx>, user: UserRow, workout: Candidate): Promise<Rates | null> {
  if (workout.stream) {
    const { time, heartrate } = JSON.parse(workout.stream.text) as Partial<Rates>;
    return time && heartrate?.length ? { time, heartrate } : null;
  }
  const { start_at, end_at } = workout;
  return start_at !== null && end_at !== null ? findRates(ctx, user, workout as Span) : null;
}
