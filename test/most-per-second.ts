/** The largest number of starts within any 1,000 ms, from times in their order. */
export function maxPerSecond(times: number[]): number {
  let most = 0;
  for (let first = 0, last = 0; last < times.length; last += 1) {
    while ((times[first] as number) <= (times[last] as number) - 1000) first += 1;
    most = Math.max(most, last - first + 1);
  }
  return most;
}
