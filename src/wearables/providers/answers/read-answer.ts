// Answers of providers are read with care: what has another type than promised ends the pull with an error that says so.
import { pastMoment, toUtc } from '../../../wire/moment.ts';
import { timeZone } from '../../../wire/time-zone.ts';
import { textOf } from '../connector.ts';
import { PullError } from '../importer.ts';

export type Found = Readonly<Record<string, unknown>>;

const otherwise = (): PullError => new PullError('non_retriable_error');

/** An object; throws where it is none. */
export function objectIn(value: unknown): Found {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw otherwise();
  return value as Found;
}

/** An object; empty where it is none. */
export const objectOr = (value: unknown): Found =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Found) : {};

/** A list of objects; throws where it is none. */
export function objectsIn(value: unknown): Found[] {
  if (!Array.isArray(value)) throw otherwise();
  return value.map(objectIn);
}

/** A list of objects; empty where there is nothing. */
export const objectsOr = (value: unknown): Found[] => (value === undefined || value === null ? [] : objectsIn(value));

/** Numbers of a list, with null for what is none; null where there is no list. */
export const numbersOr = (value: unknown): (number | null)[] | null =>
  Array.isArray(value) ? value.map(numberOr) : null;

/** A text or number that names something; throws where there is none. */
export function nameIn(value: unknown): string {
  const name = textOf(value);
  if (name === null || name === '' || name.length > 200) throw otherwise();
  return name;
}

/** A text; null where there is none. */
export const textOr = (value: unknown): string | null =>
  typeof value === 'string' && value.trim() !== '' ? value.trim() : null;

/** A number, also where it is written as a text, as 64-bit integers are in JSON; null where there is none. */
export function numberOr(value: unknown): number | null {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : null;
}

export function numberIn(value: unknown): number {
  const number = numberOr(value);
  if (number === null) throw otherwise();
  return number;
}

/** The nearest whole number. */
export function wholeOr(value: unknown): number | null {
  const number = numberOr(value);
  return number === null ? null : Math.round(number);
}

/** A moment that has come, in UTC; throws where there is none, null where it is yet to come. */
export function momentIn(value: unknown): string | null {
  if (typeof value !== 'string' || pastMoment(value, Infinity) === null) throw otherwise();
  const moment = pastMoment(value);
  return moment === null ? null : toUtc(moment);
}

/** Seconds of a moment since 1970. */
export const secondsOf = (moment: string): number => Math.floor(Date.parse(moment) / 1_000);

/** The years until 2100, in seconds since 1970. */
const LAST_SECOND = 4_102_444_800;

/** A moment of seconds since 1970; throws where it is of another time. */
export function momentAt(seconds: number): string {
  if (!(seconds >= 0 && seconds <= LAST_SECOND)) throw otherwise();
  return new Date(seconds * 1_000).toISOString();
}

/** The moment so many seconds after another; null where there is none. */
export function momentAfter(moment: string, seconds: number): string | null {
  const at = Date.parse(moment) + seconds * 1_000;
  return at >= 0 && at <= LAST_SECOND * 1_000 ? new Date(at).toISOString() : null;
}

/** A time zone by its IANA name; null where there is none of that name. */
export const zoneOr = (value: unknown): string | null => (typeof value === 'string' ? timeZone(value) : null);

/** A word as answers write it: WeightTraining, weight-training and WEIGHT_TRAINING are weight_training. */
export function wordOf(value: unknown): string | null {
  const word = (textOr(value) ?? '')
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z0-9]/)
    .filter((part) => part !== '')
    .join('_')
    .slice(0, 64)
    .replace(/_$/, '');
  return word === '' ? null : word;
}
