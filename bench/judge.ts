// The figures of each benchmark with its goals: printed, and by `npm run bench -- --record` appended to
// bench/results.csv and drawn.
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

/** Prints the figure, stores it for the results, and returns whether it reaches the goal. NaN does not. */
export function judge(what: string, figure: number, side: Side, goal: number): boolean {
  const reached = side === 'at least' ? figure >= goal : figure <= goal;
  console.log(`${reached ? 'reached' : 'MISSED '} ${what}: ${rounded(figure)} (goal: ${side} ${goal})`);
  measured.push({ what, figure, goal: `${side} ${goal}` });
  return reached;
}

/** The figures since the last call. */
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

/** The commit, with `-dirty` where its files are changed, and the machine with its load now. */
export const describeRun = (): Run => ({
  commit: execFileSync('git', ['describe', '--always', '--dirty', '--abbrev=7', '--exclude=*'], {
    encoding: 'utf8',
  }).trim(),
  machine: describeMachine(),
});

const rounded = (figure: number): string => String(Number(figure.toPrecision(4)));

const cell = (text: string): string => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
