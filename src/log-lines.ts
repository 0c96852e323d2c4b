import { OutputWriter } from './output-writer.ts';

const TOGETHER = 16_000;
const AT_LATEST_MS = 100;

/**
 * Collects log lines and writes them together: when they have many characters, after at most 100 ms, and at the end of
 * the process. Pino's own stream can do this too, but for every new line it reads all collected lines.
 */
export class LogLines {
  readonly #output: (text: string) => void;
  #lines: string[] = [];
  #length = 0;
  #timer: NodeJS.Timeout | null = null;

  constructor(output: (text: string) => void) {
    this.#output = output;
  }

  write(line: string): void {
    this.#lines.push(line);
    this.#length += line.length;
    if (this.#length >= TOGETHER) this.flush();
    else this.#timer ??= setTimeout(() => this.flush(), AT_LATEST_MS).unref();
  }

  flush(): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    if (this.#lines.length === 0) return;
    this.#output(this.#lines.join(''));
    this.#lines = [];
    this.#length = 0;
  }
}

let opened: LogLines | null = null;

export const standardOutput = (): LogLines => (opened ??= openStandardOutput());

function openStandardOutput(): LogLines {
  const writer = new OutputWriter(1);
  const lines = new LogLines((text) => writer.write(text));
  // Plain lines, such as the announcement of a start, are written by console.
  for (const output of [process.stdout, process.stderr]) output.on('error', () => undefined);
  process.on('beforeExit', () => lines.flush());
  process.on('exit', () => {
    lines.flush();
    writer.writeAtEnd();
  });
  return lines;
}
