import { write, writeSync } from 'node:fs';

/** Text that waits for a slow reader or a full disk. What is beyond it is lost. */
const MAX_WAITING_BYTES = 16 * 1024 * 1024;
const AGAIN_AFTER_MS = 20;
/** The longest wait for a slow reader at the end of the process. */
const END_WITHIN_MS = 1_000;

/** Nobody can read the output any more: the terminal was closed, or the program at the other end of the pipe ended. */
const GONE = new Set(['EIO', 'EPIPE', 'EBADF']);

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? '';

/**
 * Writes text to a file descriptor, in order and without blocking. An error of the output never ends the process or
 * keeps it from ending: the service goes on without a log. (Pino's stream tries for ever at the end of the process.)
 */
export class OutputWriter {
  readonly #fd: number;
  readonly #waiting: Buffer[] = [];
  #bytes = 0;
  /** The first chunk is with the operating system. */
  #isWriting = false;
  /** Set while the writer pauses after an error. */
  #pause: NodeJS.Timeout | null = null;
  #isGone = false;

  constructor(fd: number) {
    this.#fd = fd;
  }

  write(text: string): void {
    const chunk = Buffer.from(text);
    if (this.#isGone || this.#bytes + chunk.length > MAX_WAITING_BYTES) return;
    this.#waiting.push(chunk);
    this.#bytes += chunk.length;
    if (!this.#isWriting && !this.#pause) this.#writeNext();
  }

  #writeNext(): void {
    const [chunk] = this.#waiting;
    this.#pause = null;
    this.#isWriting = chunk !== undefined;
    if (!chunk) return;
    write(this.#fd, chunk, (error, written) => {
      this.#isWriting = false;
      if (!error) {
        this.#remove(0, written);
        this.#writeNext();
      } else if (GONE.has(codeOf(error))) {
        this.#isGone = true;
        this.#waiting.length = 0;
      } else {
        this.#pause = setTimeout(() => this.#writeNext(), AGAIN_AFTER_MS).unref();
      }
    });
  }

  /** Takes the written bytes from the chunk at this index. */
  #remove(index: number, written: number): void {
    const chunk = this.#waiting[index] as Buffer;
    this.#bytes -= written;
    if (written === chunk.length) this.#waiting.splice(index, 1);
    else this.#waiting[index] = chunk.subarray(written);
  }

  /** Writes what waits, at the end of the process. Gives up if the output fails, or if its reader takes too long. */
  writeAtEnd(): void {
    const until = performance.now() + END_WITHIN_MS;
    const first = this.#isWriting ? 1 : 0;
    while (this.#waiting.length > first) {
      try {
        this.#remove(first, writeSync(this.#fd, this.#waiting[first] as Buffer));
      } catch (error) {
        if (codeOf(error) !== 'EAGAIN' || performance.now() > until) return;
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, AGAIN_AFTER_MS);
      }
    }
  }
}
