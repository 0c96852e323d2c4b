// Functions that convert stored values to the form that documents print.
import { millisecondsOf } from '../../wire/moment.ts';

/**
 * Returns a moment in local time: `Jan 5, 2026, 09:30 EST` for `2026-01-05T07:30:00-07:00` in the zone of New York. A
 * date without a time becomes only the day.
 */
export function momentInWords(moment: string, zone: string): string {
  if (moment.length === 10) return dayInWords(moment);
  const parts = formatterOf(zone).formatToParts(millisecondsOf(moment));
  const part = (type: string): string => parts.find((each) => each.type === type)?.value ?? '';
  const day = `${part('year')}-${part('month')}-${part('day')}`;
  return `${dayInWords(day)}, ${part('hour')}:${part('minute')} ${part('timeZoneName')}`;
}

const formatters = new Map<string, Intl.DateTimeFormat>();

function formatterOf(zone: string): Intl.DateTimeFormat {
  let formatter = formatters.get(zone);
  if (!formatter) {
    formatter = new Intl.DateTimeFormat('en-US', {
      timeZone: zone,
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      hourCycle: 'h23',
      timeZoneName: 'short',
    });
    formatters.set(zone, formatter);
  }
  return formatter;
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/**
 * Returns a day with the name of its month: `Apr 12, 1988` for `1988-04-12`. We print no date as only numbers, because
 * 4/12 is another day in other countries.
 */
export function dayInWords(day: string): string {
  const [year, month, date] = day.slice(0, 10).split('-') as [string, string, string];
  return `${MONTHS[Number(month) - 1]} ${Number(date)}, ${year}`;
}

/** Returns a name as words: `Dried blood spot` for `dried_blood_spot`. */
export function inWords(name: string): string {
  const words = name.replaceAll(/[_-]/g, ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Returns a phone number with spaces: +1 602 555 0123 for +16025550123. Numbers of other countries do not change. */
export const phoneInWords = (phone: string): string => phone.replace(/^\+1(\d{3})(\d{3})(\d{4})$/, '+1 $1 $2 $3');

type Address = {
  first_line: string;
  second_line?: string | null;
  city: string;
  state: string;
  zip: string;
  country?: string;
};

export function addressInWords({ first_line, second_line, city, state, zip, country }: Address): string {
  const abroad = country === undefined || /^(us|usa|united states)/i.test(country) ? null : country;
  return [first_line, second_line, `${city}, ${state} ${zip}`, abroad].filter(Boolean).join(', ');
}

export const methodInWords = (method: string): string =>
  ({
    testkit: 'Collected at home with a kit',
    walk_in_test: 'Drawn at a service center',
    at_home_phlebotomy: 'Drawn at home by a phlebotomist',
    on_site_collection: "Collected at the orderer's own site",
  })[method] ?? inWords(method);
