const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];

/**
 * Reads the day at the beginning of a text and returns it as YYYY-MM-DD. It accepts `2026-01-05`, `01/05/2026` (the
 * month comes first, as laboratories of the United States write it), `Jan 5, 2026` and `5 Jan 2026`. Returns null for
 * any other text and for a day that does not exist.
 */
export function readDate(text: string): string | null {
  const iso = /^(\d{4})-(\d{2})-(\d{2})(?!\d)/.exec(text);
  if (iso) return dayOf(iso[1], iso[2], iso[3]);
  const slashed = /^(\d{1,2})[/-](\d{1,2})[/-](\d{4})(?!\d)/.exec(text);
  if (slashed) return dayOf(slashed[3], slashed[1], slashed[2]);
  const monthFirst = /^([a-z]{3,9})\.? (\d{1,2}),? (\d{4})(?!\d)/i.exec(text);
  if (monthFirst) return dayOf(monthFirst[3], monthOf(monthFirst[1]), monthFirst[2]);
  const dayFirst = /^(\d{1,2})[ -]([a-z]{3,9})\.?[ -](\d{4})(?!\d)/i.exec(text);
  return dayFirst ? dayOf(dayFirst[3], monthOf(dayFirst[2]), dayFirst[1]) : null;
}

const monthOf = (name = ''): string => String(MONTHS.indexOf(name.slice(0, 3).toLowerCase()) + 1);

function dayOf(year = '', month = '', day = ''): string | null {
  const text = `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`;
  const date = new Date(`${text}T00:00:00Z`);
  return Number(year) >= 1880 && !Number.isNaN(date.valueOf()) && date.toISOString().startsWith(text) ? text : null;
}
