// Prints the figures of each benchmark with its goals. `npm run bench -- --record` also appends them to
// bench/results.csv and draws the picture.
import { execFileSync } from 'node:child_process';
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { describeMachine } from './describe-machine.ts';
import { drawResults } from './draw-results.ts';

const FILE = 'bench/results.csv';
const PICTURE = 'bench/results.svg';

type Side = 'at least' | 'at most';
type Measured = { what: string; figure: number; goal: string };

/** Figures since the last call of `takeMeasured`. */
let measured: Measured[] = [];

/** Prints the figure and stores it for the results. Returns true if it reaches the goal. NaN never does. */
export function judge(what: string, figure: number, side: Side, goal: number): boolean {
  const reached = side === 'at least' ? figure >= goal : figure <= goal;
  console.log(`${reached ? 'reached' : 'MISSED '} ${what}: ${rounded(figure)} (goal: ${side} ${goal})`);
  measured.push({ what, figure, goal: `${side} ${goal}` });
  return reached;
}

/** Returns the figures since the last call, and forgets them. */
export function takeMeasured(): Measured[] {
  const taken = measured;
  measured = [];
  return taken;
}

/**
 * Appends a row for each figure, and draws the picture again. `machine` is the description of `describeRun` from before
 * the benchmark.
 */
export function record(benchmark: string, { commit, machine }: Run, figures: Measured[]): void {
  const date = new Date().toISOString().slice(0, 10);
  for (const { what, figure, goal } of figures)
    appendFileSync(FILE, `${[date, commit, benchmark, what, rounded(figure), goal, machine].map(cell).join(',')}\n`);
  writeFileSync(PICTURE, drawResults(readFileSync(FILE, 'utf8')));
}

export type Run = { commit: string; machine: string };

/** Returns the commit, with `-dirty` if files differ from it, and the machine with its present load. */
export const describeRun = (): Run => ({
  commit: execFileSync('git', ['describe', '--always', '--dirty', '--abbrev=7', '--exclude=*'], {
    encoding: 'utf8',
  }).trim(),
  machine: describeMachine(),
});

const rounded = (figure: number): string => String(Number(figure.toPrecision(4)));

const cell = (text: string): string => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
