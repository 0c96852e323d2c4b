export const ADULT_AGE_YEARS = 18;
const OLDEST_AGE_YEARS = 130;

const DAYS_OF_MONTH = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Returns true for a date that exists in the calendar, from the year 0001 to 9999. 30 February does not exist. */
export function isCalendarDate(text: string): boolean {
  const match = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
  if (!match) return false;
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])];
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const days = month === 2 && leap ? 29 : (DAYS_OF_MONTH[month - 1] ?? 0);
  return year > 0 && day > 0 && day <= days;
}

/** Returns the date where the clocks are `hours` ahead of UTC. */
const dayAt = (now: number, hours: number): string => new Date(now + hours * 3_600_000).toISOString().slice(0, 10);

/**
 * Returns true if a person can be born on that date. The day must have begun somewhere on earth (days begin first at
 * UTC+14), and must not be more than 130 years ago (days end last at UTC-12).
 */
export function isBirthDate(text: string, now = Date.now()): boolean {
  if (!isCalendarDate(text)) return false;
  const today = dayAt(now, -12);
  const oldest = `${Number(today.slice(0, 4)) - OLDEST_AGE_YEARS}${today.slice(4)}`;
  return text <= dayAt(now, 14) && text >= oldest;
}

/** Returns the full years since the date of birth, on the UTC date of `now`. */
export function ageInYears(dob: string, now = Date.now()): number {
  const today = new Date(now).toISOString().slice(0, 10);
  const years = Number(today.slice(0, 4)) - Number(dob.slice(0, 4));
  return today.slice(5) < dob.slice(5) ? years - 1 : years;
}
