import { setMaxListeners } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import type { Ctx } from '../../../context.ts';
import { LongPolls } from '../../../long-polls.ts';
import { anyWaits, leasePipelines, type Leased } from './lease.ts';
import { streamTeam } from './stream-team.ts';

/** Pipelines that one process streams at a time, each of another team. */
const MOST_AT_A_TIME = 100;
/** Where more wait than that, each has a turn. */
const TURN_MS = 60_000;
const SCAN_MS = 2_000;

export type Streaming = {
  /** A team has new events. */
  wake: (teamId: string) => void;
  /** Notifications may have been lost. */
  wakeAll: () => void;
  /** Begins nothing new, gives up connections that are being made, and gives what is published `drainMs` to be confirmed. */
  stop: (drainMs: number) => Promise<void>;
};

/** Streams the events of every team that has a pipeline for it, as far as no other process does. */
export function startStreaming(ctx: Ctx, most = MOST_AT_A_TIME): Streaming {
  const stopping = new AbortController();
  const over = new AbortController();
  // Each pipeline listens, and so does the scan: Node would warn of more than ten.
  setMaxListeners(most + 1, stopping.signal, over.signal);
  const polls = new LongPolls();
  const running = new Set<Promise<void>>();
  let isCrowded = false;

  const begin = (leased: Leased): void => {
    const end = performance.now() + TURN_MS;
    const isOver = (): boolean => isCrowded && performance.now() > end;
    const turn = streamTeam(ctx, leased, { polls, isOver, stopping: stopping.signal, over: over.signal })
      .catch((err: unknown) => ctx.log.error({ err, team_id: leased.team_id }, 'a pipeline was left to its lease'))
      .finally(() => running.delete(turn));
    running.add(turn);
  };

  const scan = async (): Promise<void> => {
    const room = most - running.size;
    if (room > 0) for (const leased of await leasePipelines(ctx, room)) begin(leased);
    isCrowded = running.size >= most && (await anyWaits(ctx));
  };

  const scanning = (async () => {
    while (!stopping.signal.aborted) {
      await scan().catch((err: unknown) => ctx.log.error({ err }, 'pipelines could not be looked for'));
      await pause(SCAN_MS, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  })();

  return {
    wake: (teamId) => polls.wake(teamId),
    wakeAll: () => polls.wakeAll(),
    async stop(drainMs) {
      stopping.abort();
      const timer = setTimeout(() => over.abort(), drainMs);
      await scanning;
      await Promise.all(running);
      clearTimeout(timer);
    },
  };
}
