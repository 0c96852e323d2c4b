import { ageInYears } from '../../../wire/birth-date.ts';

/** Heart rates: times in seconds since 1970, in ascending order, and beats a minute (null if none was measured). */
export type Rates = { time: readonly number[]; heartrate: readonly (number | null)[] };

const AGE_WHERE_UNKNOWN = 30;
/**
 * The longest time in seconds for which a heart rate counts. A rate counts until the next rate, but after a pause the
 * next rate comes late. A point with null means that nothing was measured, so the rate before it continues. A point
 * with 0 ends the rate before it: a strap sends 0 when it has lost contact to the skin.
 */
export const LONGEST_RATE_S = 60;
/** The limits of the zones, as parts of the highest heart rate. The last zone is above LAST_EDGE. */
export const EDGES = [0.5, 0.6, 0.7, 0.8];
export const LAST_EDGE = 0.9;

/**
 * Returns the seconds in six zones: below 50 percent of the highest heart rate (220 minus the age), from 50, from 60,
 * from 70, from 80, and above 90. Returns null if no rate was measured. The last rate counts until `end`, in seconds
 * since 1970.
 */
export function zonesOf({ time, heartrate }: Rates, end: number, birthDate: string | null): number[] | null {
  const begin = time[0];
  if (begin === undefined) return null;
  const highest = highestRate(birthDate, begin);
  const zones = [0, 0, 0, 0, 0, 0];
  let isMeasured = false;
  let next = end;
  for (let n = time.length - 1; n >= 0; n -= 1) {
    const [at, rate] = [time[n] as number, heartrate[n] ?? null];
    if (rate === null) continue;
    if (rate > 0) {
      isMeasured = true;
      zones[zoneOf(rate / highest)]! += Math.min(Math.max(next - at, 0), LONGEST_RATE_S);
    }
    next = at;
  }
  return isMeasured ? zones.map((seconds) => Math.round(seconds)) : null;
}

/** Returns the highest heart rate for the age of a person at a moment, in seconds since 1970. */
export const highestRate = (birthDate: string | null, at: number): number =>
  220 - (birthDate === null ? AGE_WHERE_UNKNOWN : ageInYears(birthDate, at * 1_000));

const zoneOf = (part: number): number => (part > LAST_EDGE ? 5 : EDGES.filter((edge) => part >= edge).length);
