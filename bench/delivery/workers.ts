// Delivers a backlog of 1,000 endpoints with one, two and four workers. Nothing may be lost or arrive twice. More
// workers must be faster until all cores are busy.
import { cpus } from 'node:os';
import { median } from '../describe-machine.ts';
import { judge } from '../judge.ts';
import { describeDrained, drain } from './drain-backlog.ts';
import { onStage, type Program, type Stage } from './stage.ts';

const WORKERS = [1, 2, 4];
/** If this share of all processors is busy, they count as full. */
const FULL = 0.9;

type Size = { endpoints: number; rounds: number; events: number };
const WHOLE: Size = { endpoints: 1_000, rounds: 3, events: 20_000 };
const QUICK: Size = { endpoints: 100, rounds: 1, events: 5_000 };

/** Returns true if the goal is reached. */
export const benchWorkers = ({ quick }: { quick: boolean }): Promise<boolean> =>
  onStage((stage) => measure(stage, quick ? QUICK : WHOLE));

type Figure = { rate: number; busy: number };

async function measure(stage: Stage, { endpoints: count, rounds, events }: Size): Promise<boolean> {
  const endpoints = await stage.endpoints(count);
  const figures = new Map<number, Figure>();
  let wrongRounds = 0;
  for (const workers of WORKERS) {
    const programs: Program[] = [];
    while (programs.length < workers) programs.push(await stage.start('worker'));
    await drain(stage, programs, endpoints, events); // warms up
    const results: Figure[] = [];
    for (let round = 1; round <= rounds; round += 1) {
      const drained = await drain(stage, programs, endpoints, events);
      const { rate, busy } = drained;
      results.push({ rate, busy });
      if (drained.wrong.length > 0) wrongRounds += 1;
      console.log(
        `${workers} worker${workers === 1 ? '' : 's'}, round ${round}: ${describeDrained(drained)}; ` +
          `${busy.toFixed(2)} of ${cpus().length} processors busy`,
      );
    }
    figures.set(workers, {
      rate: median(results.map(({ rate }) => rate)),
      busy: median(results.map(({ busy }) => busy)),
    });
    for (const program of programs) await program.stop();
  }
  const slower = WORKERS.slice(1).filter((workers, n) => {
    const [fewer, more] = [figures.get(WORKERS[n] as number) as Figure, figures.get(workers) as Figure];
    return !(more.rate > fewer.rate || fewer.busy >= FULL * cpus().length);
  }).length;
  for (const [workers, { rate, busy }] of figures)
    console.log(
      `${workers} workers: median ${rate.toFixed(0)}/s, ${busy.toFixed(2)} of ${cpus().length} processors busy`,
    );
  return [
    judge('rounds with something delivered twice or lost', wrongRounds, 'at most', 0),
    judge('steps that are slower although processors are free', slower, 'at most', 0),
  ].every(Boolean);
}
