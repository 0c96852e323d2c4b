// The program of a thread that draws documents. Fonts are opened once a thread. What is asked of it at the same time is drawn
// side by side: a document of many pages lets the others go on between two of its pages.
import { constants, setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import { AppError } from '../../../errors.ts';
import { draw, type Drawing } from './draw.ts';

export type Asked = { id: number; drawing: Drawing };

/** `frames`: of an error that nobody foresaw, without its message, which may quote a record. */
export type Answered = { id: number } & (
  { bytes: Uint8Array } | { refusal: { code: AppError['code']; message: string } } | { name: string; frames: string }
);

/** Requests come first. Linux alone has priorities of threads; elsewhere this would lower the whole process. */
if (process.platform === 'linux') setPriority(0, constants.priority.PRIORITY_BELOW_NORMAL);

async function answer({ id, drawing }: Asked): Promise<Answered> {
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

parentPort?.on('message', async (asked: Asked) => {
  const answered = await answer(asked);
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
  parentPort?.postMessage(answered);
});
