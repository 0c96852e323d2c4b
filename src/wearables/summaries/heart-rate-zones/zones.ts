import { ageInYears } from '../../../wire/birth-date.ts';

/** Rates as they were measured: seconds since 1970, rising, and beats a minute; nothing where none was measured. */
export type Rates = { time: readonly number[]; heartrate: readonly (number | null)[] };

const AGE_WHERE_UNKNOWN = 30;
/** A rate holds until the next one, which in a pause comes late. */
const LONGEST_HOLD_S = 60;
/** Of the highest rate; what is above the last begins the sixth zone. */
const EDGES = [0.5, 0.6, 0.7, 0.8];
const LAST_EDGE = 0.9;

/**
 * Seconds in six zones: below 50 percent of 220 less the age, from 50, 60, 70 and 80, and above 90. Null where no rate was
 * measured. The last rate holds until `end`, in seconds since 1970.
 */
export function zonesOf({ time, heartrate }: Rates, end: number, birthDate: string | null): number[] | null {
  const begin = time[0];
  if (begin === undefined) return null;
  const age = birthDate === null ? AGE_WHERE_UNKNOWN : ageInYears(birthDate, begin * 1_000);
  const highest = 220 - age;
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

const zoneOf = (part: number): number => (part > LAST_EDGE ? 5 : EDGES.filter((edge) => part >= edge).length);
