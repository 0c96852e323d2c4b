export const ADULT_AGE_YEARS = 18;
const OLDEST_AGE_YEARS = 130;

/** A day of the calendar, so not 30 February. */
export function isCalendarDate(text: string): boolean {
  const match = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text);
  if (!match || match[1] === '0000') return false;
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}

/** The future begins where no place on earth has that day yet (UTC+14). */
export function isBirthDate(text: string, now = Date.now()): boolean {
  if (!isCalendarDate(text)) return false;
  const latest = new Date(now + 14 * 3_600_000).toISOString().slice(0, 10);
  const oldest = `${Number(latest.slice(0, 4)) - OLDEST_AGE_YEARS}${latest.slice(4)}`;
  return text <= latest && text >= oldest;
}

/** Full years since the date of birth, on the UTC day of `now`. */
export function ageInYears(dob: string, now = Date.now()): number {
  const today = new Date(now).toISOString().slice(0, 10);
  const years = Number(today.slice(0, 4)) - Number(dob.slice(0, 4));
  return today.slice(5) < dob.slice(5) ? years - 1 : years;
}
