// Measures the wait of a new user: from `npm start` with an up-to-date build to the first 200 of /readyz.
import { describeMachine, median } from './describe-machine.ts';
import { makeFolder, removeFolder, startMeasured } from './measured-program.ts';
import { judge } from './judge.ts';

const GOAL_EMPTY_MS = 3_000;
const GOAL_EXISTING_MS = 1_500;
const ROUNDS = 5;

/** Each round starts on an empty data directory, and again on the same one. Returns true if both goals are reached. */
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
  return [
    judge('ms on an empty directory', median(empty), 'at most', GOAL_EMPTY_MS),
    judge('ms on an existing directory', median(existing), 'at most', GOAL_EXISTING_MS),
  ].every(Boolean);
}

async function startOnce(folder: string): Promise<number> {
  const program = await startMeasured(folder, ['npm', 'start']);
  await program.stop();
  return program.readyAfterMs;
}
