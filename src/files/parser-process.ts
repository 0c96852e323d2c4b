// Reads a file from outside in a separate process, with limits for memory and processor time. A malicious file may take
// control of that process. So the process has none of our environment variables and connections, and the damage ends
// with it.
import { spawn, type ChildProcess } from 'node:child_process';
import { constants, setPriority } from 'node:os';

const HEAP_MB = 128;
/** If a process ignores the first signal, it gets this many seconds more. */
const SECONDS_MORE = 5;

/**
 * A shell script that sets limits and then starts the program. The kernel measures the processor time, so the program
 * cannot avoid the limit. A killed program writes no core dump, which would contain the file. The script removes
 * variables that a shell adds to the environment.
 */
const WITHIN_BOUNDS = [
  `ulimit -c 0; ulimit -S -t "$1" && ulimit -H -t $(($1 + ${SECONDS_MORE}))`,
  'shift && exec /usr/bin/env -i "$@"',
].join(' && ');

/** With this exit code a program says that it could not load its own modules. This is no fault of the file. */
export const NOT_LOADED = 70;

type Bounds = { cpuSeconds: number; signal: AbortSignal; takesInput?: boolean };

export type ParserProcess = {
  child: ChildProcess;
  /**
   * How the process ended: null for success, `out_of_time` and `out_of_memory` if it reached a limit, `not_loaded` if
   * it could not load its modules.
   */
  ended: Promise<'failed' | 'not_loaded' | 'out_of_time' | 'out_of_memory' | null>;
  /** Kills the process if it is still running, and discards its output. */
  end: () => Promise<void>;
};

/**
 * Starts one of our programs that read a file. It may use `cpuSeconds` of processor time, and ends when `signal`
 * aborts.
 */
export function startParser(
  [program, ...args]: [string, ...string[]],
  { cpuSeconds, signal, takesInput = false }: Bounds,
): ParserProcess {
  const node = [process.execPath, `--max-old-space-size=${HEAP_MB}`, program, ...args];
  const child = spawn('/bin/sh', ['-c', WITHIN_BOUNDS, 'sh', String(Math.ceil(cpuSeconds)), ...node], {
    stdio: [takesInput ? 'pipe' : 'ignore', 'pipe', 'ignore'],
    env: {},
    signal,
    killSignal: 'SIGKILL',
  });
  if (child.pid !== undefined) lowerPriority(child.pid);
  // When `signal` aborts, or if the process cannot start, it emits an error. `close` follows in both cases, so we need
  // not handle the error.
  child.on('error', () => undefined);
  const closed = new Promise<[number | null, NodeJS.Signals | null]>((resolve) => {
    child.once('close', (...how) => resolve(how));
  });
  return {
    child,
    ended: closed.then(([code, ended]) => {
      if (ended === 'SIGXCPU') return 'out_of_time';
      // A process with a full heap ends itself with a signal. If the machine has no memory left, the kernel kills the
      // process with a signal.
      if (ended !== null) return 'out_of_memory';
      if (code === NOT_LOADED) return 'not_loaded';
      return code === 0 ? null : 'failed';
    }),
    end: async () => {
      child.kill('SIGKILL');
      // `close` is emitted only when all output was read or discarded.
      child.stdout?.destroy();
      await closed;
    },
  };
}

/** Lowers the priority of a process, so that requests come before the reading of files. */
function lowerPriority(pid: number): void {
  try {
    setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // The process has ended already.
  }
}
