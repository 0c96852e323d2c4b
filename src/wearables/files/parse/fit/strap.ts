// Heart rates of a strap that a watch reads after the swim: `hr` messages, which tell a beat's time by a clock of their own.
import { at, number, type Message } from './messages.ts';

/** Ticks of that clock in a second, and where its 32 bits begin anew. */
const TICKS = 1_024;
const ROUND = 2 ** 32;
const TWELVE_BITS = 0x1000;

/** Mean heart rates by second, in their order. Beats before the first message that tells the time of the world are of no time. */
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

/** The library makes nothing of a byte of 255, which is one of a time all the same; no place may be lost. */
const numbersOf = (value: unknown): number[] =>
  (Array.isArray(value) ? value : value === undefined ? [] : [value]).map((each) =>
    typeof each === 'number' ? each : 255,
  );

/** Two times of twelve bits in three bytes each, the low bits first. */
function unpacked(bytes: number[]): number[] {
  const ticks: number[] = [];
  for (let n = 0; n + 2 < bytes.length; n += 3) {
    const [a, b, c] = bytes.slice(n, n + 3) as [number, number, number];
    ticks.push(a | ((b & 0x0f) << 8), (b >> 4) | (c << 4));
  }
  return ticks;
}
