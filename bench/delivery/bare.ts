import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Done, Work } from './bare-worker.ts';

/** We tried 16, 64 and 128 connections. Bare undici is fastest with 64. */
const CONNECTIONS = 64;
const WARM_UP_MS = 1_000;

/** Measures how fast bare undici, in a process of its own, posts to the sink (the endpoint of the benchmarks). */
export async function postBare(work: Pick<Work, 'origin' | 'paths' | 'bodyBytes' | 'measureMs'>): Promise<Done> {
  const child = fork(join(import.meta.dirname, 'bare-worker.js'), [], { detached: true });
  const ended = once(child, 'exit');
  child.send({ ...work, connections: CONNECTIONS, warmUpMs: WARM_UP_MS } satisfies Work);
  const [done] = (await once(child, 'message')) as [Done];
  await ended;
  return done;
}
