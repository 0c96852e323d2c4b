import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Done, Work } from './bare-worker.ts';

/** The fastest of 16, 64 and 128 for bare undici. */
const CONNECTIONS = 64;
const WARM_UP_MS = 1_000;

/** The rate at which bare undici posts to the sink from its own process. */
export async function postBare(work: Pick<Work, 'origin' | 'paths' | 'bodyBytes' | 'measureMs'>): Promise<Done> {
  const child = fork(join(import.meta.dirname, 'bare-worker.js'), [], { detached: true });
  const ended = once(child, 'exit');
  child.send({ ...work, connections: CONNECTIONS, warmUpMs: WARM_UP_MS } satisfies Work);
  const [done] = (await once(child, 'message')) as [Done];
  await ended;
  return done;
}
