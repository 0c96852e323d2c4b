// Reading a stranger's file is left to a process of its own, with bounds of memory and of processor time and nothing of ours
// around it: no environment, no connection. What a file does to it ends with it.
import { spawn, type ChildProcess } from 'node:child_process';
import { constants, setPriority } from 'node:os';

const HEAP_MB = 128;
/** Of a process that ignores the first signal. */
const SECONDS_MORE = 5;

/** The kernel counts the time: neither a clock nor the process itself has to be asked. A process that is ended leaves no core, and
 * what a shell adds to the environment is taken away. */
const WITHIN_BOUNDS = `ulimit -c 0; ulimit -S -t "$1" && ulimit -H -t $(($1 + ${SECONDS_MORE})) && shift && exec /usr/bin/env -i "$@"`;

type Bounds = { cpuSeconds: number; signal: AbortSignal; takesInput?: boolean };

export type ParserProcess = {
  child: ChildProcess;
  /** How it ended: null of one that ended well, `out_of_time` and `out_of_memory` by its bounds. */
  ended: Promise<'failed' | 'out_of_time' | 'out_of_memory' | null>;
  /** Ends it, where it has not ended yet, with what it wrote. */
  end: () => Promise<void>;
};

/** Starts a program of ours that reads a file, for as much processor time as `cpuSeconds` and until `signal`. */
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
  child.on('error', () => undefined); // of the signal; what could not be started closes, too
  const closed = new Promise<[number | null, NodeJS.Signals | null]>((resolve) => {
    child.once('close', (...how) => resolve(how));
  });
  return {
    child,
    ended: closed.then(([code, ended]) => {
      if (ended === 'SIGXCPU') return 'out_of_time';
      // A heap that is full ends the process by a signal of its own, as does a machine without memory.
      if (ended !== null) return 'out_of_memory';
      return code === 0 ? null : 'failed';
    }),
    end: async () => {
      child.kill('SIGKILL');
      // It counts as closed when nothing of what it wrote is left to read.
      child.stdout?.destroy();
      await closed;
    },
  };
}

/** Whoever waits for an answer goes before whoever reads a file. */
function lowerPriority(pid: number): void {
  try {
    setPriority(pid, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // It has ended already.
  }
}
