/** A line at a terminal that changes while something long runs. */
export type Progress = { show: (text: string) => void; end: () => void };

const SHOWN_EVERY_MS = 100;

/**
 * Shows how far long work is, on stderr so that stdout has results only. Shows nothing if that is no terminal, because
 * a log would get hundreds of lines.
 */
export function openProgress(
  stream: Pick<NodeJS.WriteStream, 'isTTY' | 'write' | 'columns'> = process.stderr,
): Progress {
  if (!stream.isTTY) return { show: () => undefined, end: () => undefined };
  let shownAt = 0;
  return {
    show: (text) => {
      if (performance.now() - shownAt < SHOWN_EVERY_MS) return;
      shownAt = performance.now();
      stream.write(`\r\u001B[K${text.slice(0, (stream.columns || 80) - 1)}`);
    },
    end: () => void stream.write('\r\u001B[K'),
  };
}

const BAR_WIDTH = 24;

/** Returns a bar such as `[######------] 50 %`, or an empty text if the end is unknown. */
export function barOf(done: number, total: number | null): string {
  if (!total) return '';
  const part = Math.min(1, done / total);
  const filled = Math.round(part * BAR_WIDTH);
  return `[${'#'.repeat(filled)}${'-'.repeat(BAR_WIDTH - filled)}] ${Math.floor(part * 100)} % `;
}
