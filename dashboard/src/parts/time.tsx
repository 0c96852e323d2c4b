import { useEffect, useState } from 'react';
import { VIEWERS_ZONE } from './zone.ts';

const DAY_AND_TIME = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const DAY = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' });
const RELATIVE = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' });

const inUtc = (at: string): string => `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`;

/** A moment in the viewer's zone, as a part of a sentence. */
export const momentInWords = (at: string): string => DAY_AND_TIME.format(new Date(at));

/** Says whose clocks a page shows, once for all its times. */
export const ViewersTime = () => <span>Times are those of your time zone, {VIEWERS_ZONE}.</span>;

/** A moment in the viewer's zone. UTC shows on hover. */
export function Time({ at }: { at: string }) {
  return (
    <time dateTime={at} title={inUtc(at)}>
      {momentInWords(at)}
    </time>
  );
}

/** A moment as a clock shows it where somebody is, with the name of the zone. */
export function TimeIn({ at, zone }: { at: string; zone: string }) {
  const format = new Intl.DateTimeFormat(undefined, {
    year: 'numeric',
    month: 'short',
    day: 'numeric',
    hour: 'numeric',
    minute: '2-digit',
    timeZone: zone,
    timeZoneName: 'short',
  });
  return (
    <time dateTime={at} title={`${zone}, ${inUtc(at)}`}>
      {format.format(new Date(at))}
    </time>
  );
}

/** A calendar date such as `2026-11-27`, which has no zone, as the viewer writes it. */
export const dayInWords = (date: string): string => DAY.format(new Date(`${date}T00:00:00Z`));

/** A calendar date. It stays on one line. */
export function CalendarDate({ date }: { date: string }) {
  return (
    <time dateTime={date} style={{ whiteSpace: 'nowrap' }}>
      {dayInWords(date)}
    </time>
  );
}

/** "Yesterday" may be an hour ago or nearly two days, so hours count until then. */
const UNITS = [
  { unit: 'day', size: 86_400, from: 172_800 },
  { unit: 'hour', size: 3_600, from: 3_600 },
  { unit: 'minute', size: 60, from: 60 },
] as const;

/**
 * How long ago or ahead: "3 minutes ago". What has happened is not ahead, though the clock of the service may be some
 * seconds ahead of the viewer's.
 */
function agoOf(at: string, now: number, isDue: boolean): string {
  const seconds = Math.round((new Date(at).getTime() - now) / 1000);
  const found = UNITS.find(({ from }) => Math.abs(seconds) >= from);
  if (!found) return isDue ? 'in a moment' : 'just now';
  return RELATIVE.format(Math.trunc(seconds / found.size), found.unit);
}

/**
 * A moment as its distance from now, which is kept current. The moment shows on hover, in both zones. `isDue`: it is
 * when something will be done.
 */
export function Ago({ at, isDue = false }: { at: string; isDue?: boolean }) {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 30_000);
    return () => clearInterval(timer);
  }, []);
  return (
    <time dateTime={at} title={`${momentInWords(at)}, ${inUtc(at)}`}>
      {agoOf(at, now, isDue)}
    </time>
  );
}
