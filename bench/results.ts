// What each benchmark measured beside its goals: printed, and appended to bench/results.csv by `npm run bench -- --record`.
import { execFileSync } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { describeMachine } from './environment.ts';

const FILE = 'bench/results.csv';

type Side = 'at least' | 'at most';
type Measured = { what: string; figure: number; goal: string };

/** Since `takeMeasured` was called last. */
let measured: Measured[] = [];

/** Prints the figure, keeps it for the results, and answers whether it reaches the goal; NaN does not. */
export function judge(what: string, figure: number, side: Side, goal: number): boolean {
  const reached = side === 'at least' ? figure >= goal : figure <= goal;
  console.log(`${reached ? 'reached' : 'MISSED '} ${what}: ${rounded(figure)} (goal: ${side} ${goal})`);
  measured.push({ what, figure, goal: `${side} ${goal}` });
  return reached;
}

/** What was judged since the last call. */
export function takeMeasured(): Measured[] {
  const taken = measured;
  measured = [];
  return taken;
}

/** Appends a row for each figure. `machine` is what `describeRun` said before the benchmark began. */
export function record(benchmark: string, { commit, machine }: Run, figures: Measured[]): void {
  const date = new Date().toISOString().slice(0, 10);
  for (const { what, figure, goal } of figures)
    appendFileSync(FILE, `${[date, commit, benchmark, what, rounded(figure), goal, machine].map(cell).join(',')}\n`);
}

export type Run = { commit: string; machine: string };

/** The commit, with `-dirty` where files of it are changed, and the machine with its load now. */
export const describeRun = (): Run => ({
  commit: execFileSync('git', ['describe', '--always', '--dirty', '--abbrev=7', '--exclude=*'], {
    encoding: 'utf8',
  }).trim(),
  machine: describeMachine(),
});

const rounded = (figure: number): string => String(Number(figure.toPrecision(4)));

const cell = (text: string): string => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
