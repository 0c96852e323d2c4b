// The heart rates of the watch in all years of an export, for its nights and workouts. An export lists its records by
// type. So between a night and its heart rates there may be gigabytes of other records.

type HeartRates = {
  add: (at: number, bpm: number) => void;
  /** Returns the heart rates of an interval in the order of time: seconds since 1970, and beats a minute. */
  between: (start: number, end: number) => { time: number[]; value: number[] };
};

const CHUNK = 65_536;
/**
 * The most readings of heart rates. A watch that is worn day and night for ten years has some four million. Each
 * reading takes eight bytes.
 */
const MOST = 8_000_000;
/** A reading is stored as one number: the second times QUARTERS, plus the rate in quarters of a beat. */
const QUARTERS = 4_096;

/** Collects heart rates. Ignores all readings after the first eight million. */
export function gatherHeartRates(): HeartRates {
  const chunks: Float64Array[] = [];
  let count = 0;
  let sorted: Float64Array | null = null;

  const sort = (): Float64Array => {
    const all = new Float64Array(count);
    for (let n = 0; n * CHUNK < count; n += 1)
      all.set((chunks[n] as Float64Array).subarray(0, Math.min(CHUNK, count - n * CHUNK)), n * CHUNK);
    chunks.length = 0;
    return all.sort();
  };

  return {
    add: (at, bpm) => {
      if (count >= MOST || !(bpm > 0 && bpm < 400) || !(at > 0)) return;
      const offset = count % CHUNK;
      if (offset === 0) chunks.push(new Float64Array(CHUNK));
      (chunks.at(-1) as Float64Array)[offset] = Math.floor(at / 1_000) * QUARTERS + Math.round(bpm * 4);
      count += 1;
    },
    between: (start, end) => {
      sorted ??= sort();
      const time: number[] = [];
      const value: number[] = [];
      const last = Math.floor(end / 1_000);
      for (let n = firstFrom(sorted, Math.ceil(start / 1_000) * QUARTERS); n < sorted.length; n += 1) {
        const second = Math.floor((sorted[n] as number) / QUARTERS);
        if (second > last) break;
        // A stream has one value for each second. So we skip further readings of the same second.
        if (time.at(-1) === second) continue;
        time.push(second);
        value.push(((sorted[n] as number) % QUARTERS) / 4);
      }
      return { time, value };
    },
  };
}

function firstFrom(sorted: Float64Array, least: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] as number) < least) low = middle + 1;
    else high = middle;
  }
  return low;
}
