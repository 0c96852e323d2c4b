/** A line at a terminal that changes while something long runs. Only there it begins with a bar of `part`. */
export type Progress = { show: (text: string, part?: Part) => void; end: () => void };

/** What is done of all. `total` is null if the end is unknown. */
type Part = { done: number; total: number | null };

const SHOWN_EVERY_MS = 100;

const LINE_EVERY_MS = 5_000;

type Stream = Pick<NodeJS.WriteStream, 'isTTY' | 'write' | 'columns'>;

/**
 * Shows how far long work is, on stderr so that stdout has results only. Where that is no terminal it is a plain line
 * from time to time, because a log would get hundreds of lines otherwise.
 */
export function openProgress(stream: Stream = process.stderr): Progress {
  if (!stream.isTTY) return plainLines(stream);
  let shownAt = 0;
  return {
    show: (text, part) => {
      if (performance.now() - shownAt < SHOWN_EVERY_MS) return;
      shownAt = performance.now();
      stream.write(`\r\u001B[K${`${barOf(part)}${text}`.slice(0, (stream.columns || 80) - 1)}`);
    },
    end: () => void stream.write('\r\u001B[K'),
  };
}

function plainLines(stream: Stream): Progress {
  let shownAt = performance.now();
  const show = (text: string): void => {
    if (performance.now() - shownAt < LINE_EVERY_MS) return;
    shownAt = performance.now();
    stream.write(`${text}\n`);
  };
  return { show, end: () => undefined };
}

const BAR_WIDTH = 24;

/** Returns a bar such as `[######------] 50 %`, or an empty text if the end is unknown. */
function barOf({ done, total }: Part = { done: 0, total: null }): string {
  if (!total) return '';
  const part = Math.min(1, done / total);
  const filled = Math.round(part * BAR_WIDTH);
  return `[${'#'.repeat(filled)}${'-'.repeat(BAR_WIDTH - filled)}] ${Math.floor(part * 100)} % `;
}
