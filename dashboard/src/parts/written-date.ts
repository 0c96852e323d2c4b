const MONTHS = Array.from({ length: 12 }, (_, month) => new Date(Date.UTC(2000, month, 1)));

/** The names of the months, short and long, as the viewer and as English writes them. */
function monthNames(locale: string | undefined): string[][] {
  const formats = [locale, 'en'].flatMap((language) =>
    (['short', 'long'] as const).map(
      (month) => new Intl.DateTimeFormat(language, { month, day: 'numeric', timeZone: 'UTC' }),
    ),
  );
  const nameIn = (format: Intl.DateTimeFormat, month: Date): string =>
    format.formatToParts(month).find(({ type }) => type === 'month')?.value ?? '';
  return MONTHS.map((month) => formats.map((format) => bare(nameIn(format, month))));
}

const bare = (word: string): string => word.toLowerCase().replaceAll('.', '');

/** Whether dates in numbers begin with the day where the viewer is. */
function isDayFirst(locale: string | undefined): boolean {
  const parts = new Intl.DateTimeFormat(locale).formatToParts(MONTHS[0]).map(({ type }) => type);
  return parts.indexOf('day') < parts.indexOf('month');
}

/** Returns a calendar date as `1961-10-27`, or undefined if there is no such day. */
function dateOf(year: number, month: number, day: number): string | undefined {
  const at = new Date(Date.UTC(year, month - 1, day));
  return year >= 1000 && at.getUTCMonth() === month - 1 && at.getUTCDate() === day
    ? at.toISOString().slice(0, 10)
    : undefined;
}

/**
 * Returns a date that a person wrote as `1961-10-27`: `10/27/1961`, `27.10.1961` or `Oct 27, 1961`, as pages show it.
 * Which of two numbers is the day says the locale, unless only one of them can be the month. Undefined for other texts.
 */
export function dateWritten(text: string, locale?: string): string | undefined {
  const [, year, month, day] = /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})$/.exec(text.trim()) ?? [];
  if (year) return dateOf(Number(year), Number(month), Number(day));
  const [, first, second, last] = /^(\d{1,2})[-/.] ?(\d{1,2})[-/.] ?(\d{4})$/.exec(text.trim()) ?? [];
  if (last) {
    const numbers: [number, number] = [Number(first), Number(second)];
    const startsWithDay = numbers[0] > 12 || (numbers[1] <= 12 && isDayFirst(locale));
    const [dayOf, monthOf] = startsWithDay ? numbers : numbers.toReversed();
    return dateOf(Number(last), monthOf as number, dayOf as number);
  }
  return dateInWordsOf(text, locale);
}

/** Reads a day, the name of a month, and a year, in any order. */
function dateInWordsOf(text: string, locale: string | undefined): string | undefined {
  // Spanish and Portuguese write "de" between them.
  const words = text
    .split(/[\s,]+/)
    .map(bare)
    .filter((word) => word !== '' && word !== 'de');
  const year = words.find((word) => /^\d{4}$/.test(word));
  const day = words.find((word) => /^\d{1,2}$/.test(word));
  const name = words.find((word) => /^\p{L}+$/u.test(word));
  if (words.length !== 3 || !year || !day || !name) return undefined;
  const month = monthNames(locale).findIndex((names) => names.includes(name));
  return month < 0 ? undefined : dateOf(Number(year), month + 1, Number(day));
}
