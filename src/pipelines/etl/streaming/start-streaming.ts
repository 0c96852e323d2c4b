import { setMaxListeners } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import type { Ctx } from '../../../context.ts';
import { Worker } from '../../../delivery/queues/delivery-worker.ts';
import type { Owner } from '../../../fair/round-robin.ts';
import { Threshold } from '../../../fair/threshold.ts';
import { LongPolls } from '../../../long-polls.ts';
import {
  endLeasesOfDeadWorkers,
  leasePipelines,
  returnLease,
  waitingOrgs,
  type Leased,
  type Capacity,
} from './lease.ts';
import { PagePermits } from './page-permits.ts';
import { streamTeam, type StreamOptions } from './stream-team.ts';

/**
 * The most pipelines that one process streams at a time. If only one organisation has pipelines, it may use a quarter
 * of them.
 */
const MAX_AT_A_TIME = 400;
/**
 * If more pipelines wait than there are permits, a pipeline is streamed for this many milliseconds. Then another one
 * gets its permit.
 */
const STREAMED_FOR_MS = 60_000;
const POLL_MS = 2_000;

export type Streaming = {
  /** Wakes the pipeline of a team that has new events. */
  wake: (teamId: string) => void;
  /** Wakes all pipelines. Call it when notifications may have been lost. */
  wakeAll: () => void;
  /**
   * Stops streaming. Starts nothing new, aborts attempts to connect, and waits up to `drainMs` for the broker's
   * confirms of events that were sent.
   */
  stop: (drainMs: number) => Promise<void>;
};

/** A team has one pipeline, so permits are shared only between organisations. */
const ofOrg = (orgId: string): Owner => ({ org: orgId, team: orgId });

type Bounds = { most?: number; pages?: PagePermits; pollMs?: number };

/**
 * Streams the events of teams to their brokers, for every pipeline that no other process streams. `worker` holds a
 * database lock while this process lives, by which other processes notice its death. If `worker` never listens for
 * notifications, it has no lock, and the leases of a dead process only end by time.
 */
export function startStreaming(
  ctx: Ctx,
  worker = new Worker(),
  { most = MAX_AT_A_TIME, pages = new PagePermits(), pollMs = POLL_MS }: Bounds = {},
): Streaming {
  const stopping = new AbortController();
  const over = new AbortController();
  // Every pipeline and the poll listen to these signals. Node warns if a signal has more than ten listeners.
  setMaxListeners(most + 1, stopping.signal, over.signal);
  const polls = new LongPolls();
  const permits = new Threshold(most);
  /** The pipelines that this process is streaming, each with the id of its organisation. */
  const running = new Map<Promise<void>, string>();
  let waiting: ReadonlySet<string> = new Set();

  const isCrowded = (orgId: string): boolean =>
    running.size >= most ? waiting.size > 0 : waiting.has(orgId) && permits.capacityFor(ofOrg(orgId)) <= 0;

  const begin = (leased: Leased): void => {
    const end = performance.now() + STREAMED_FOR_MS;
    const isOver: StreamOptions['isOver'] = (isAtEnd) =>
      (isAtEnd || performance.now() > end) && isCrowded(leased.org_id);
    const signals = { stopping: stopping.signal, over: over.signal };
    const stream = streamTeam(ctx, leased, { worker, polls, pages, isOver, ...signals })
      .catch((err: unknown) =>
        ctx.log.error(
          { err, team_id: leased.team_id },
          'a pipeline stopped with an error; another worker takes it when its lease ends',
        ),
      )
      .finally(() => {
        running.delete(stream);
        permits.release(ofOrg(leased.org_id));
      });
    running.set(stream, leased.org_id);
  };

  const computeCapacity = (): Capacity => ({
    most: most - running.size,
    ofAnother: permits.capacityFor(ofOrg('')),
    of: new Map([...running.values()].map((orgId) => [orgId, permits.capacityFor(ofOrg(orgId))])),
  });

  const pollPipelines = async (): Promise<void> => {
    const ended = await endLeasesOfDeadWorkers(ctx, worker);
    if (ended > 0) ctx.log.warn({ pipelines: ended }, 'a worker died or was cut off; its pipelines are taken over');
    const capacity = computeCapacity();
    for (const leased of capacity.most > 0 ? await leasePipelines(ctx, worker, capacity) : []) {
      // Several organisations may get their first pipelines in one poll. Then the share of each is smaller than
      // computed before.
      if (permits.take(ofOrg(leased.org_id))) begin(leased);
      else await returnLease(ctx, leased);
    }
    waiting = running.size > 0 ? await waitingOrgs(ctx) : new Set();
  };

  const polling = (async () => {
    while (!stopping.signal.aborted) {
      await pollPipelines().catch((err: unknown) => ctx.log.error({ err }, 'due pipelines could not be read'));
      await pause(pollMs, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  })();

  return {
    wake: (teamId) => polls.wake(teamId),
    wakeAll: () => polls.wakeAll(),
    async stop(drainMs) {
      stopping.abort();
      const timer = setTimeout(() => over.abort(), drainMs);
      await polling;
      await Promise.all(running.keys());
      clearTimeout(timer);
    },
  };
}
