// HL7 times: YYYY[MM[DD[HH[MM[SS[.S…]]]]]][±ZZZZ]. A time without an offset is in the time zone of the laboratory.

const TIME = /^(\d{4})(\d{2})(\d{2})(?:(\d{2})(?:(\d{2})(?:(\d{2})(?:\.(\d{1,4}))?)?)?)?([+-]\d{4})?$/;

export type ZonedTime = { timestamp: string; timezone_offset: number };

/** Reads a time. Returns null if the text is no time or has no day. Missing parts are not guessed. */
export function readTime(text: string, zone: string): ZonedTime | null {
  const [, year, month, day, hour = '00', minute = '00', second = '00', fraction = '', sign] = TIME.exec(text) ?? [];
  if (year === undefined) return null;
  const iso = `${year}-${month}-${day}T${hour}:${minute}:${second}.${fraction.slice(0, 3).padEnd(3, '0')}Z`;
  const local = Date.parse(iso);
  if (Number.isNaN(local) || new Date(local).toISOString() !== iso) return null;
  const offset = sign === undefined ? offsetOfLocal(local, zone) : offsetOf(sign);
  if (offset === null) return null;
  return { timestamp: new Date(local - offset * 1000).toISOString(), timezone_offset: offset };
}

/** Reads the date at the beginning of a text, and returns it as `YYYY-MM-DD`. A time of day may follow the date. */
export function readDate(text: string): string | null {
  const [, year, month, day] = /^(\d{4})(\d{2})(\d{2})/.exec(text) ?? [];
  return year === undefined ? null : `${year}-${month}-${day}`;
}

/** Writes a time in whole seconds, with the offset of the zone at that time. */
export function writeTime(iso: string, zone: string): string {
  const at = Date.parse(iso);
  const offset = offsetAt(at, zone);
  const minutes = Math.abs(offset) / 60;
  const local = new Date(at + offset * 1000).toISOString().slice(0, 19).replaceAll(/[-T:]/g, '');
  const sign = offset < 0 ? '-' : '+';
  return `${local}${sign}${String(Math.floor(minutes / 60)).padStart(2, '0')}${String(minutes % 60).padStart(2, '0')}`;
}

export const writeDate = (date: string): string => date.replaceAll('-', '').slice(0, 8);

function offsetOf(sign: string): number | null {
  const minutes = Number(sign.slice(1, 3)) * 60 + Number(sign.slice(3));
  if (minutes > 15 * 60 || Number(sign.slice(3)) > 59) return null;
  return (sign.startsWith('-') ? -1 : 1) * minutes * 60;
}

/**
 * Returns the offset of a local time. A local time that occurs twice, when clocks are put back, means the first one. A
 * local time that never occurs, when clocks are put forward, gets the offset from before the change.
 */
function offsetOfLocal(local: number, zone: string): number {
  const before = offsetAt(local - 86_400_000, zone);
  const after = offsetAt(local + 86_400_000, zone);
  return [before, after].find((offset) => offsetAt(local - offset * 1000, zone) === offset) ?? before;
}

const formatters = new Map<string, Intl.DateTimeFormat>();

/** Returns the offset of the zone at a moment, in seconds east of UTC. */
function offsetAt(at: number, zone: string): number {
  let formatter = formatters.get(zone);
  if (!formatter) {
    formatter = new Intl.DateTimeFormat('en-US', { timeZone: zone, timeZoneName: 'longOffset' });
    formatters.set(zone, formatter);
  }
  const name = formatter.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value ?? '';
  const [, sign, hours = '0', minutes = '0'] = /GMT([+-])(\d{2}):(\d{2})/.exec(name) ?? [];
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60;
}
