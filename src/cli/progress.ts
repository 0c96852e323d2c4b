/** A line at a terminal that changes while something long runs. Only there it begins with a bar of `part`. */
export type Progress = { show: (text: string, part?: Part) => void; end: () => void };

/** What is done of all. `total` is null if the end is unknown. */
type Part = { done: number; total: number | null };

const SHOWN_EVERY_MS = 100;

const LINE_EVERY_MS = 5_000;

type Stream = Pick<NodeJS.WriteStream, 'isTTY' | 'write' | 'columns'>;

/**
 * Shows how far long work is, on stderr so that stdout has results only. Where that is no terminal it is a plain line
 * from time to time, because a log would get hundreds of lines otherwise. What came last is shown even if nothing
 * follows for long.
 */
export function openProgress(stream: Stream = process.stderr): Progress {
  const every = stream.isTTY ? SHOWN_EVERY_MS : LINE_EVERY_MS;
  let last: { text: string; part?: Part | undefined } = { text: '' };
  let shownAt = stream.isTTY ? -Infinity : performance.now();
  let waiting: NodeJS.Timeout | null = null;
  const forgetTimer = (): void => {
    if (waiting) clearTimeout(waiting);
    waiting = null;
  };
  const write = (): void => {
    forgetTimer();
    shownAt = performance.now();
    const line = `${barOf(last.part)}${last.text}`.slice(0, (stream.columns || 80) - 1);
    stream.write(stream.isTTY ? `\r\u001B[K${line}` : `${last.text}\n`);
  };
  return {
    show: (text, part) => {
      last = { text, part };
      const wait = shownAt + every - performance.now();
      if (wait <= 0) write();
      else waiting ??= setTimeout(write, wait).unref();
    },
    end: () => {
      forgetTimer();
      if (stream.isTTY) stream.write('\r\u001B[K');
    },
  };
}

const BAR_WIDTH = 24;

/** Returns a bar such as `[######------] 50 %`, or an empty text if the end is unknown. */
function barOf({ done, total }: Part = { done: 0, total: null }): string {
  if (!total) return '';
  const part = Math.min(1, done / total);
  const filled = Math.round(part * BAR_WIDTH);
  return `[${'#'.repeat(filled)}${'-'.repeat(BAR_WIDTH - filled)}] ${Math.floor(part * 100)} % `;
}
