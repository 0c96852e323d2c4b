// Heart rates that a chest strap measured under water and sent to the watch after the swim. An `hr` message gives the
// time of each beat by the clock of the strap.
import { at, number, type Message } from './fit-messages.ts';

/**
 * TICKS is the number of ticks of the strap's clock in a second. The clock has 32 bits and returns to 0 after ROUND
 * ticks.
 */
const TICKS = 1_024;
const ROUND = 2 ** 32;
const TWELVE_BITS = 0x1000;

/**
 * Returns the mean heart rate of each second, in the order of time. Only a message with a UTC time relates the strap's
 * clock to UTC. So beats before the first such message are left out.
 */
export function strapHeartRates(messages: Message[]): { time: number[]; value: number[] } {
  const sums = new Map<number, { sum: number; count: number }>();
  let anchor: { at: number; ticks: number } | null = null;
  let last = 0;
  for (const message of messages) {
    const whole = numbersOf(message['event_timestamp']).map((seconds) => Math.round(seconds * TICKS));
    const packed =
      whole.length > 0 ? [] : unpacked(numbersOf(message['event_timestamp12'] ?? message['event_timestamp_12']));
    const begin = at(message['timestamp']);
    if (begin !== undefined && whole[0] !== undefined)
      anchor = { at: begin + (number(message['fractional_timestamp']) ?? 0) * 1_000, ticks: whole[0] };
    const beats = numbersOf(message['filtered_bpm']);
    const ticks =
      whole.length > 0
        ? whole
        : packed.map((low) => (last += (low - (last % TWELVE_BITS) + TWELVE_BITS) % TWELVE_BITS));
    last = ticks.at(-1) ?? last;
    if (anchor === null) continue;
    for (const [n, tick] of ticks.entries()) {
      const bpm = beats[n];
      if (bpm === undefined || bpm <= 0 || bpm >= 255) continue;
      const since = (tick - anchor.ticks + ROUND) % ROUND;
      const second = Math.floor((anchor.at + (since * 1_000) / TICKS) / 1_000);
      const known = sums.get(second) ?? { sum: 0, count: 0 };
      sums.set(second, { sum: known.sum + bpm, count: known.count + 1 });
    }
  }
  const seconds = [...sums.entries()].toSorted(([a], [b]) => a - b);
  return { time: seconds.map(([second]) => second), value: seconds.map(([, { sum, count }]) => sum / count) };
}

/**
 * Returns the bytes of a value. The library returns no number for a byte of 255, because 255 often means "missing".
 * Here a byte of 255 can be part of a time, so this function restores it. Without it, all later times would be wrong.
 */
const numbersOf = (value: unknown): number[] =>
  (Array.isArray(value) ? value : value === undefined ? [] : [value]).map((each) =>
    typeof each === 'number' ? each : 255,
  );

/** Unpacks times of twelve bits. Three bytes contain two of them, the low bits first. */
function unpacked(bytes: number[]): number[] {
  const ticks: number[] = [];
  for (let n = 0; n + 2 < bytes.length; n += 3) {
    const [a, b, c] = bytes.slice(n, n + 3) as [number, number, number];
    ticks.push(a | ((b & 0x0f) << 8), (b >> 4) | (c << 4));
  }
  return ticks;
}
