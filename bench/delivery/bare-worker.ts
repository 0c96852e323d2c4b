// Bare undici, for comparison: posts one body again and again, without a queue, a signature or a record.
import { Pool } from 'undici';

export type Work = {
  origin: string;
  paths: string[];
  bodyBytes: number;
  connections: number;
  warmUpMs: number;
  measureMs: number;
};
export type Done = { posted: number; seconds: number; cpuMs: number };

/** A text as long as a signature of the program. */
const SIGNATURE = `v1,${'x'.repeat(44)}`;
const COMMON = ['content-type', 'application/json', 'accept-encoding', 'identity', 'user-agent', 'bare undici'];
for (const prefix of ['webhook', 'svix'])
  COMMON.push(`${prefix}-timestamp`, '1763884800', `${prefix}-signature`, SIGNATURE);

process.once('message', (work: Work) => {
  const { origin, paths, connections, warmUpMs, measureMs } = work;
  const pool = new Pool(origin, { connections, pipelining: 1 });
  const body = Buffer.alloc(work.bodyBytes, 'x');
  let started = 0;
  let ended = 0;
  let stopped = false;
  const post = (): void => {
    const id = String((started += 1)).padStart(36, '0');
    const path = paths[started % paths.length] as string;
    const headers = [...COMMON, 'webhook-id', id, 'svix-id', id];
    pool.dispatch({ path, method: 'POST', headers, body }, handler);
  };
  const handler = {
    onRequestStart: () => undefined,
    onResponseStart: () => undefined,
    onResponseData: () => undefined,
    onResponseEnd: () => {
      ended += 1;
      if (!stopped) post();
    },
    onResponseError: (_: unknown, error: Error) => {
      throw error;
    },
  };
  for (let n = 0; n < connections; n += 1) post();
  setTimeout(() => {
    const begin = { ended, at: performance.now(), cpu: process.cpuUsage() };
    setTimeout(() => {
      const { user, system } = process.cpuUsage(begin.cpu);
      const seconds = (performance.now() - begin.at) / 1000;
      process.send?.({ posted: ended - begin.ended, seconds, cpuMs: (user + system) / 1000 } satisfies Done);
      stopped = true;
      process.disconnect();
      void pool.close();
    }, measureMs);
  }, warmUpMs);
});
