import { setMaxListeners } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';
import type { Ctx } from '../../../context.ts';
import { Worker } from '../../../delivery/lanes/workers.ts';
import type { Owner } from '../../../fair/round-robin.ts';
import { Threshold } from '../../../fair/threshold.ts';
import { LongPolls } from '../../../long-polls.ts';
import { endLeasesOfTheDead, leasePipelines, returnLease, waitingOrgs, type Leased, type Room } from './lease.ts';
import { PagePlaces } from './page-places.ts';
import { streamTeam, type Turn } from './stream-team.ts';

/** Pipelines that one process streams at a time, each of another team; an organisation alone has a quarter. */
const MOST_AT_A_TIME = 400;
/** Where more wait than there is room for, each has a turn. */
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

/** A team has one pipeline: what is shared out is shared among organisations alone. */
const ofOrg = (orgId: string): Owner => ({ org: orgId, team: orgId });

type Bounds = { most?: number; pages?: PagePlaces };

/**
 * Streams the events of every team that has a pipeline for it, as far as no other process does. By `worker` others see whether this one
 * lives; one that never listens has its leases end by themselves.
 */
export function startStreaming(
  ctx: Ctx,
  worker = new Worker(),
  { most = MOST_AT_A_TIME, pages = new PagePlaces() }: Bounds = {},
): Streaming {
  const stopping = new AbortController();
  const over = new AbortController();
  // Each pipeline listens, and so does the scan: Node would warn of more than ten.
  setMaxListeners(most + 1, stopping.signal, over.signal);
  const polls = new LongPolls();
  const places = new Threshold(most);
  /** With their organisations. */
  const running = new Map<Promise<void>, string>();
  let waiting: ReadonlySet<string> = new Set();

  const isCrowded = (orgId: string): boolean =>
    running.size >= most ? waiting.size > 0 : waiting.has(orgId) && places.roomFor(ofOrg(orgId)) <= 0;

  const begin = (leased: Leased): void => {
    const end = performance.now() + TURN_MS;
    const isOver: Turn['isOver'] = (isAtEnd) => (isAtEnd || performance.now() > end) && isCrowded(leased.org_id);
    const signals = { stopping: stopping.signal, over: over.signal };
    const turn = streamTeam(ctx, leased, { worker, polls, pages, isOver, ...signals })
      .catch((err: unknown) => ctx.log.error({ err, team_id: leased.team_id }, 'a pipeline was left to its lease'))
      .finally(() => {
        running.delete(turn);
        places.giveBack(ofOrg(leased.org_id));
      });
    running.set(turn, leased.org_id);
  };

  const roomLeft = (): Room => ({
    most: most - running.size,
    ofAnother: places.roomFor(ofOrg('')),
    of: new Map([...running.values()].map((orgId) => [orgId, places.roomFor(ofOrg(orgId))])),
  });

  const scan = async (): Promise<void> => {
    const ended = await endLeasesOfTheDead(ctx, worker);
    if (ended > 0) ctx.log.warn({ pipelines: ended }, 'a worker died or was cut off; its pipelines are taken over');
    const room = roomLeft();
    for (const leased of room.most > 0 ? await leasePipelines(ctx, worker, room) : []) {
      // Of several organisations that came at once each has less room than it would have had alone.
      if (places.take(ofOrg(leased.org_id))) begin(leased);
      else await returnLease(ctx, leased);
    }
    waiting = running.size > 0 ? await waitingOrgs(ctx) : new Set();
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
      await Promise.all(running.keys());
      clearTimeout(timer);
    },
  };
}
