// The program of a thread that draws documents. Each thread opens the fonts once. It draws several documents at a time:
// after each page of one document, it draws a page of the next.
import { constants, setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import { AppError } from '../../../errors.ts';
import { draw, type Drawing } from './draw-document.ts';

export type DrawingRequest = { id: number; drawing: Drawing };

/**
 * The result of a drawing. An unexpected error arrives as its name and its stack `frames`. We omit its message, because
 * the message may quote personal data.
 */
export type DrawingResponse = { id: number } & (
  { bytes: Uint8Array } | { refusal: { code: AppError['code']; message: string } } | { name: string; frames: string }
);

/**
 * HTTP requests are more urgent than documents. Only Linux has priorities for single threads. On other systems this
 * call would lower the priority of the entire process.
 */
if (process.platform === 'linux') setPriority(0, constants.priority.PRIORITY_BELOW_NORMAL);

async function answer({ id, drawing }: DrawingRequest): Promise<DrawingResponse> {
  try {
    return { id, bytes: await draw(drawing) };
  } catch (error) {
    if (error instanceof AppError) return { id, refusal: { code: error.code, message: error.message } };
    const { name, stack = '' } = error as Error;
    return {
      id,
      name,
      frames: stack
        .split('\n')
        .filter((line) => /^\s+at /.test(line))
        .join('\n'),
    };
  }
}

parentPort?.on('message', async (asked: DrawingRequest) => {
  const answered = await answer(asked);
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  parentPort?.postMessage(answered);
});
