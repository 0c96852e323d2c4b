export const ADULT_AGE_YEARS = 18;
const OLDEST_AGE_YEARS = 130;

const DAYS_OF_MONTH = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** A day of the calendar, so not 30 February; of the years 0001 to 9999. */
export function isCalendarDate(text: string): boolean {
  const match = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
  if (!match) return false;
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])];
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const days = month === 2 && leap ? 29 : (DAYS_OF_MONTH[month - 1] ?? 0);
  return year > 0 && day > 0 && day <= days;
}

/** The day at `hours` from UTC. */
const dayAt = (now: number, hours: number): string => new Date(now + hours * 3_600_000).toISOString().slice(0, 10);

/**
 * Whether somebody can be born that day: not in the future anywhere on earth, where the day begins first at UTC+14,
 * and not over 130 years ago, which holds as long as the anniversary lasts somewhere, to its end at UTC-12.
 */
export function isBirthDate(text: string, now = Date.now()): boolean {
  if (!isCalendarDate(text)) return false;
  const today = dayAt(now, -12);
  const oldest = `${Number(today.slice(0, 4)) - OLDEST_AGE_YEARS}${today.slice(4)}`;
  return text <= dayAt(now, 14) && text >= oldest;
}

/** Full years since the date of birth, on the UTC day of `now`. */
export function ageInYears(dob: string, now = Date.now()): number {
  const today = new Date(now).toISOString().slice(0, 10);
  const years = Number(today.slice(0, 4)) - Number(dob.slice(0, 4));
  return today.slice(5) < dob.slice(5) ? years - 1 : years;
}
