// Answers of stand-ins: moments that all of them share, and pages.
import type { DataRequest } from '../provider.ts';

export const DAY_MS = 86_400_000;

export const today = Date.parse(new Date().toISOString().slice(0, 10));
/** Moments at three in the morning, one every so many days back from yesterday, that lie between two moments. */
export const every = (days: number, from: number, to: number): number[] =>
  Array.from({ length: Math.ceil(200 / days) }, (_, n) => today - (n * days + 1) * DAY_MS + 3 * 3_600_000).filter(
    (at) => at >= from && at < to,
  );
export const iso = (at: number): string => new Date(at).toISOString();
/** Full days from one moment to another, without today, so that their number does not depend on the hour. */
export const daysBetween = (from: string, to: string): number => dayOf(to) - dayOf(from);
const dayOf = (moment: string): number => Math.floor(Date.parse(moment) / DAY_MS);
export const idOf = (at: number): number => Math.round(at / 1_000);

/** Pages of an answer that has so many rows, without the rows: only the requests are counted. */
export const paged = (
  request: DataRequest,
  rows: number,
  most: number,
  empty: object,
  [answered, asked]: [string, string],
) => {
  const page = Number(request.query.get(asked) ?? 0);
  return { json: { ...empty, ...((page + 1) * most < rows ? { [answered]: String(page + 1) } : {}) } };
};

/** Days before today, as YYYY-MM-DD. */
const dayBefore = (days: number): string => iso(today - days * DAY_MS).slice(0, 10);
export const day = dayBefore(2);
export const noon = `${day}T12:00:00Z`;
export const hourLater = `${day}T13:00:00Z`;
export const longAgo = `${dayBefore(12)}T12:00:00Z`;
export const seconds = Date.parse(noon) / 1_000;
/** More than the range of any series. */
export const FAR = 3e9;
