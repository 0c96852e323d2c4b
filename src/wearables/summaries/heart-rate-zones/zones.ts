import { ageInYears } from '../../../wire/birth-date.ts';

/** Rates as they were measured: seconds since 1970, rising, and beats a minute; nothing where none was measured. */
export type Rates = { time: readonly number[]; heartrate: readonly (number | null)[] };

const AGE_WHERE_UNKNOWN = 30;
/** A rate holds until the next one, which in a pause comes late. */
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
  for (const [n, at] of time.entries()) {
    const rate = heartrate[n] ?? 0;
    // Straps without contact tell 0.
    if (rate <= 0) continue;
    isMeasured = true;
    const lasts = Math.min(Math.max((time[n + 1] ?? end) - at, 0), LONGEST_HOLD_S);
    zones[zoneOf(rate / highest)]! += lasts;
  }
  return isMeasured ? zones.map((seconds) => Math.round(seconds)) : null;
}

/** The highest rate by the age at a moment, in seconds since 1970. */
export const highestRate = (birthDate: string | null, at: number): number =>
  220 - (birthDate === null ? AGE_WHERE_UNKNOWN : ageInYears(birthDate, at * 1_000));

const zoneOf = (part: number): number => (part > LAST_EDGE ? 5 : EDGES.filter((edge) => part >= edge).length);
