import { styleText } from 'node:util';

/**
 * `fine`: nothing to do. `warning`: the service works, but not as it should. `problem`: the service does not start or
 * does not work. `skipped`: not checked, because something before it has to be mended first, or is not configured.
 */
type State = 'fine' | 'warning' | 'problem' | 'skipped';

/** All states, the worst first. */
export const STATES: readonly State[] = ['problem', 'warning', 'fine', 'skipped'];

/** What a check found. `mend` says how to mend a warning or a problem. No finding contains a secret. */
export type Finding = { check: string; state: State; found: string; mend: string | null };

/** Makes the findings of one check. */
export const findingsOf = (check: string) => ({
  fine: (found: string): Finding => ({ check, state: 'fine', found, mend: null }),
  skipped: (found: string): Finding => ({ check, state: 'skipped', found, mend: null }),
  warning: (found: string, mend: string): Finding => ({ check, state: 'warning', found, mend }),
  problem: (found: string, mend: string): Finding => ({ check, state: 'problem', found, mend }),
});

const MARKS: Record<State, string> = { fine: 'ok', warning: 'warning', problem: 'PROBLEM', skipped: '-' };
const COLOURS = { fine: 'green', warning: 'yellow', problem: 'red', skipped: 'gray' } as const;

/** Colours at a terminal only, and not with NO_COLOR. */
const markOf = (state: State): string => styleText(COLOURS[state], MARKS[state].padEnd(8), { stream: process.stdout });

/** Returns a line for each finding, and a second one that says how to mend it. */
export function renderFindings(findings: readonly Finding[]): string {
  const width = Math.max(...findings.map(({ check }) => check.length));
  return findings
    .flatMap(({ check, state, found, mend }) => [
      `${markOf(state)} ${check.padEnd(width)}  ${found}`,
      ...(mend === null ? [] : [`${' '.repeat(9 + width)}  → ${mend}`]),
    ])
    .join('\n');
}
