// How long a newcomer waits: from `npm start` with an up-to-date build to the first 200 of /readyz.
import { describeMachine, median } from './environment.ts';
import { makeFolder, removeFolder, startMeasured } from './measured-program.ts';

const GOAL_EMPTY_MS = 3_000;
const GOAL_EXISTING_MS = 1_500;
const ROUNDS = 5;

/** Each round starts on an empty data directory and again on the same one. True where both goals are reached. */
export async function benchStartup(): Promise<boolean> {
  console.log(describeMachine());
  const empty: number[] = [];
  const existing: number[] = [];
  for (let round = 1; round <= ROUNDS; round += 1) {
    const folder = makeFolder();
    try {
      empty.push(await startOnce(folder));
      existing.push(await startOnce(folder));
    } finally {
      removeFolder(folder);
    }
    console.log(`round ${round}: empty ${empty.at(-1)?.toFixed(0)} ms, existing ${existing.at(-1)?.toFixed(0)} ms`);
  }
  console.log(
    `startup: empty ${median(empty).toFixed(0)} ms (goal ${GOAL_EMPTY_MS}), existing ${median(existing).toFixed(0)} ms (goal ${GOAL_EXISTING_MS})`,
  );
  return median(empty) <= GOAL_EMPTY_MS && median(existing) <= GOAL_EXISTING_MS;
}

async function startOnce(folder: string): Promise<number> {
  const program = await startMeasured(folder, ['npm', 'start']);
  await program.stop();
  return program.readyAfterMs;
}
