// Reads responses of providers. A value of another type than the provider documents ends the pull with an error.
import { pastMoment, toUtc } from '../../../wire/moment.ts';
import { timeZone } from '../../../wire/time-zone.ts';
import { textOf } from '../connector.ts';
import { PullError } from '../importer.ts';

export type ProviderObject = Readonly<Record<string, unknown>>;

const otherwise = (): PullError => new PullError('non_retriable_error');

/** Returns the value as an object. Throws if it is not an object. */
export function objectIn(value: unknown): ProviderObject {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw otherwise();
  return value as ProviderObject;
}

/** Returns the value as an object; an empty object if it is not an object. */
export const objectOr = (value: unknown): ProviderObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as ProviderObject) : {};

/** Returns the value as a list of objects. Throws if it is not a list of objects. */
export function objectsIn(value: unknown): ProviderObject[] {
  if (!Array.isArray(value)) throw otherwise();
  return value.map(objectIn);
}

/** Returns the value as a list of objects; an empty list if it is missing. */
export const objectsOr = (value: unknown): ProviderObject[] =>
  value === undefined || value === null ? [] : objectsIn(value);

/**
 * Returns the numbers of a list, with null for each element that is not a number. Returns null if the value is not a
 * list.
 */
export const numbersOr = (value: unknown): (number | null)[] | null =>
  Array.isArray(value) ? value.map(numberOr) : null;

/** Returns a text or number as a text of 1 to 200 characters, for example an id. Throws for any other value. */
export function nameIn(value: unknown): string {
  const name = textOf(value);
  if (name === null || name === '' || name.length > 200) throw otherwise();
  return name;
}

/** Returns the value if it is a text, else null. */
export const textOr = (value: unknown): string | null =>
  typeof value === 'string' && value.trim() !== '' ? value.trim() : null;

/**
 * Returns the value as a number, else null. Providers write 64-bit integers as texts in JSON, so the text of a number
 * counts too.
 */
export function numberOr(value: unknown): number | null {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : null;
}

export function numberIn(value: unknown): number {
  const number = numberOr(value);
  if (number === null) throw otherwise();
  return number;
}

/** Returns the nearest whole number; null if the value is not a number. */
export function wholeOr(value: unknown): number | null {
  const number = numberOr(value);
  return number === null ? null : Math.round(number);
}

/** Returns a moment as text in UTC; null if it is in the future. Throws if the value is no moment. */
export function momentIn(value: unknown): string | null {
  if (typeof value !== 'string' || pastMoment(value, Infinity) === null) throw otherwise();
  const moment = pastMoment(value);
  return moment === null ? null : toUtc(moment);
}

/** Returns the seconds from 1970 to a moment. */
export const secondsOf = (moment: string): number => Math.floor(Date.parse(moment) / 1_000);

/** The end of the year 2099, in seconds since 1970. */
const LAST_SECOND = 4_102_444_800;

/** Returns the moment this many seconds after the start of 1970. Throws if it is out of range. */
export function momentAt(seconds: number): string {
  if (!(seconds >= 0 && seconds <= LAST_SECOND)) throw otherwise();
  return new Date(seconds * 1_000).toISOString();
}

/** Returns the moment this many seconds after another moment; null if it is out of range. */
export function momentAfter(moment: string, seconds: number): string | null {
  const at = Date.parse(moment) + seconds * 1_000;
  return at >= 0 && at <= LAST_SECOND * 1_000 ? new Date(at).toISOString() : null;
}

/** Returns a time zone by its IANA name; null if the name is unknown. */
export const zoneOr = (value: unknown): string | null => (typeof value === 'string' ? timeZone(value) : null);

/**
 * Returns a word in our spelling. For example, WeightTraining, weight-training and WEIGHT_TRAINING become
 * weight_training.
 */
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
