import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Order, Report } from './sink-worker.ts';

export type Sink = {
  /** The base address of endpoints. */
  origin: string;
  trust: (secrets: [path: string, secret: string][]) => Promise<void>;
  hang: (paths: string[]) => Promise<void>;
  /** Resets the counts. */
  forget: () => Promise<void>;
  report: (options?: { arrivals: boolean }) => Promise<Report>;
  close: () => Promise<void>;
};

/** Milliseconds of a clock that all processes of the machine share and that never jumps. */
export const monotonicNow = (): number => Number(process.hrtime.bigint()) / 1e6;

/** Starts the endpoint that all delivery benchmarks share. */
export async function startSink(): Promise<Sink> {
  const child = fork(join(import.meta.dirname, 'sink-worker.js'), [], { serialization: 'advanced', detached: true });
  const [port] = (await once(child, 'message')) as [number];
  let last: Promise<unknown> = Promise.resolve();
  /** Sends one order at a time, because a reply does not say to which order it belongs. */
  const ask = (order: Order): Promise<unknown> => {
    last = last.then(async () => {
      const response = once(child, 'message');
      child.send(order);
      const [message] = (await response) as [unknown];
      return message;
    });
    return last;
  };
  const send = async (order: Order): Promise<void> => void (await ask(order));
  return {
    origin: `http://127.0.0.1:${port}`,
    trust: (secrets) => send({ do: 'trust', secrets }),
    hang: (paths) => send({ do: 'hang', paths }),
    forget: () => send({ do: 'forget' }),
    report: async ({ arrivals } = { arrivals: false }) => (await ask({ do: 'report', arrivals })) as Report,
    close: async () => {
      const ended = once(child, 'exit');
      child.disconnect();
      await ended;
    },
  };
}
