import { ageInYears } from '../../../wire/birth-date.ts';

/** Rates as they were measured: seconds since 1970, rising, and beats a minute; nothing where none was measured. */
export type Rates = { time: readonly number[]; heartrate: readonly (number | null)[] };

const AGE_WHERE_UNKNOWN = 30;
/** A rate holds until the next one, which in a pause comes late. A point without a rate ends nothing: a strap without contact tells 0. */
export const LONGEST_HOLD_S = 60;
/** Of the highest rate; what is above the last begins the sixth zone. */
export const EDGES = [0.5, 0.6, 0.7, 0.8];
export const LAST_EDGE = 0.9;

/**
 * Seconds in six zones: below 50 percent of 220 less the age, from 50, 60, 70 and 80, and above 90. Null where no rate was
 * measured. The last rate holds until `end`, in seconds since 1970.
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
      zones[zoneOf(rate / highest)]! += Math.min(Math.max(next - at, 0), LONGEST_HOLD_S);
    }
    next = at;
  }
  return isMeasured ? zones.map((seconds) => Math.round(seconds)) : null;
}

/** The highest rate by the age at a moment, in seconds since 1970. */
export const highestRate = (birthDate: string | null, at: number): number =>
  220 - (birthDate === null ? AGE_WHERE_UNKNOWN : ageInYears(birthDate, at * 1_000));

const zoneOf = (part: number): number => (part > LAST_EDGE ? 5 : EDGES.filter((edge) => part >= edge).length);
