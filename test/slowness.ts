// How slow this machine is at the moment. Bounds of processor time are meant for a usual machine.

/** Processor time of `calibrate` on a machine where the bounds of the tests leave room, in milliseconds. */
const USUAL_MS = 6;
/** A program that became this much slower is noticed on every machine. */
const MAX_SLOWNESS = 4;
const STAYS_MS = 500;

// The first rounds include compilation.
for (let round = 0; round < 5; round += 1) calibrate();
let last = { atMs: -Infinity, slowness: 1 };

/**
 * The factor by which the same work needs more processor time here than usual, from 1 to 4. Neighbours on the same
 * processor lengthen processor time too, so it is measured anew after half a second.
 */
export function slowness(): number {
  if (performance.now() - last.atMs > STAYS_MS) {
    const rounds = [calibrate(), calibrate(), calibrate()].toSorted((a, b) => a - b);
    const factor = (rounds[1] as number) / USUAL_MS;
    last = { slowness: Math.min(Math.max(factor, 1), MAX_SLOWNESS), atMs: performance.now() };
  }
  return last.slowness;
}

/** Processor time of this process during `work`, in milliseconds of a usual machine. */
export async function usedBy(work: () => Promise<unknown>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  return usedSince(before) / slowness();
}

/** Does what a request does: it reads, sorts and writes JSON. Returns its processor time in milliseconds. */
function calibrate(): number {
  const before = process.cpuUsage();
  const rows = Array.from({ length: 4_000 }, (_, n) => ({ id: `${(n * 7_919) % 4_001}`, value: n / 3 }));
  const text = JSON.stringify(rows.toSorted((a, b) => (a.id < b.id ? -1 : 1)));
  const read = JSON.parse(text) as typeof rows;
  if (new Map(read.map(({ id, value }) => [id, value])).size !== rows.length) throw new Error('Wrong work.');
  return usedSince(before);
}

function usedSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1_000;
}
