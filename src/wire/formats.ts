import type { Ajv } from 'ajv';
import { isBirthDate, isCalendarDate } from './birth-date.ts';
import { addKeywords } from './keywords.ts';
import { isUsState } from './us-state.ts';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
// RFC 5321's limits with the characters of a dot-atom: what mail servers really take.
const EMAIL =
  /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*@([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/i;

/** CMS: the Luhn check digit is taken over the prefix 80840 and the ten digits. */
function isNpi(text: string): boolean {
  if (!/^\d{10}$/.test(text)) return false;
  const sum = [...`80840${text}`].toReversed().reduce((total, digit, index) => {
    const value = Number(digit) * (index % 2 === 1 ? 2 : 1);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return sum % 10 === 0;
}

function isTimeZone(text: string): boolean {
  try {
    return /^[A-Z]/.test(text) && Boolean(new Intl.DateTimeFormat('en', { timeZone: text }));
  } catch {
    return false;
  }
}

function isDateTime(text: string): boolean {
  const match =
    /^(\d{4}-\d{2}-\d{2})(?:[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:\.\d{1,9})?)?(?:[Zz]|[+-](?:0\d|1[0-5]):?[0-5]\d)?)?$/.exec(
      text,
    );
  return (
    match !== null &&
    isCalendarDate(match[1] as string) &&
    Number(match[2] ?? 0) < 24 &&
    Number(match[3] ?? 0) < 60 &&
    Number(match[4] ?? 0) < 60
  );
}

/** An absolute address without credentials and fragment, as a webhook is sent to. */
function isHttpUrl(text: string): boolean {
  if (!/^https?:\/\//i.test(text) || /[\p{Cc}\s#]/u.test(text) || !URL.canParse(text)) return false;
  const { username, password } = new URL(text);
  return username === '' && password === '';
}

/** Teaches `ajv` the formats and keywords of the domain. */
export function addFormats(ajv: Ajv): void {
  ajv.addFormat('uuid', UUID);
  ajv.addFormat('email', EMAIL);
  ajv.addFormat('date', isCalendarDate);
  ajv.addFormat('date-time', isDateTime);
  ajv.addFormat('birth-date', (text: string) => isBirthDate(text));
  ajv.addFormat('npi', isNpi);
  ajv.addFormat('time-zone', isTimeZone);
  ajv.addFormat('us-state', isUsState);
  ajv.addFormat('http-url', isHttpUrl);
  addKeywords(ajv);
}
