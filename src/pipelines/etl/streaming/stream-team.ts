import type { Ctx, TeamCtx } from '../../../context.ts';
import type { Worker } from '../../../delivery/queues/delivery-worker.ts';
import { AppError } from '../../../errors.ts';
import { noteReader } from '../../../events/notify-readers.ts';
import { ORIGIN_HEADER } from '../../../events/origin.ts';
import { ownerOf } from '../../../fair/round-robin.ts';
import { kindOfError } from '../../../log.ts';
import type { LongPolls, Poll } from '../../../long-polls.ts';
import { BrokerFailed, GIVEN_UP } from '../../../outbound/amqp/broker-line.ts';
import { openBroker, type Broker, type Message } from '../../../outbound/amqp/open-broker.ts';
import { deploymentPolicy } from '../../../outbound/deployment-policy.ts';
import { findTeamScopeOrNull, forTeam } from '../../../tenancy/teams/team-scope.ts';
import { readCursor, writeCursor, type Cursor } from '../../../webhooks/feed/cursor.ts';
import type { OpenEvent } from '../../../webhooks/feed/open-bodies.ts';
import { isAtEnd, readPage, type Page } from '../../../webhooks/feed/read-page.ts';
import { readBrokerUri } from '../broker-uri.ts';
import { openSinks, type Sinks } from '../render.ts';
import { renewLease, leaveLease, postpone, type Leased } from './lease.ts';
import { PAGE, type PagePermits } from './page-permits.ts';
import { wantedTypes } from './wanted-types.ts';

const TIMEOUT_MS = 15_000;
/**
 * The longest time in milliseconds between two reads of the feed. Each read renews the lease, so this is shorter than
 * the lease.
 */
const LOOK_AGAIN_MS = 15_000;
/**
 * A transaction that began to publish before `noteReader` stored the team may not notify it. So after this many
 * milliseconds we read the feed once more.
 */
const FRESH_MS = 1_000;

export type StreamOptions = {
  worker: Worker;
  polls: LongPolls;
  pages: PagePermits;
  /**
   * Returns true if another pipeline should get this permit. At the end of the feed, it is enough that another pipeline
   * waits. Before the end, this pipeline must also have been streamed for a while.
   */
  isOver: (isAtEnd: boolean) => boolean;
  stopping: AbortSignal;
  /** Aborted some time after `stopping`. From then on, we do not wait for confirms of the broker. */
  over: AbortSignal;
};

/**
 * Streams a pipeline until `isOver` returns true or the process stops. An error concerns only this pipeline. It is
 * logged, and the pipeline is postponed.
 */
export async function streamTeam(ctx: Ctx, leased: Leased, options: StreamOptions): Promise<void> {
  const { team_id } = leased;
  const team = await findTeamScopeOrNull(ctx, team_id);
  if (!team) return;
  const scoped = forTeam(ctx, team);
  try {
    await stream(scoped, leased, options);
  } catch (error) {
    // The process is stopping and has aborted the connection itself, so this is no failure. The next process continues
    // from the cursor.
    if (error instanceof BrokerFailed && error.code === GIVEN_UP) return;
    const reason = error instanceof BrokerFailed ? error.code : kindOfError(error);
    const failures = await postpone(scoped, leased, reason);
    ctx.log.warn({ team_id, reason, failures }, 'a pipeline could not be streamed');
  } finally {
    await leaveLease(scoped, leased);
  }
}

async function stream(ctx: TeamCtx, leased: Leased, options: StreamOptions): Promise<void> {
  const { worker, polls, pages, isOver, stopping, over } = options;
  const { rabbitmq } = openSinks(ctx.cipher, leased);
  if (!rabbitmq) return;
  const asked = { types: wantedTypes(leased), exchange: rabbitmq.exchange };
  const poll = polls.enter(ownerOf(ctx.team));
  const permit = pages.of(ownerOf(ctx.team));
  let broker = null as Broker | null;
  let cursor = readCursor(leased.cursor);
  const renew = (works: boolean): Promise<boolean> =>
    renewLease(ctx, leased, { worker, cursor: writeCursor(cursor), works });
  const publish = async (messages: Message[]): Promise<boolean> => {
    // The pipeline may have been changed while it waited for events. Then renewing the lease returns false, and we send
    // nothing to the former broker.
    if (!(await renew(false))) return false;
    broker ??= await connect(ctx, rabbitmq, stopping);
    await broker.publish(messages, over);
    return true;
  };
  try {
    while (!stopping.aborted) {
      poll.listen();
      const isFresh = await noteReader(ctx);
      while (!(await permit.take(LOOK_AGAIN_MS, stopping))) if (stopping.aborted || !(await renew(false))) return;
      const page = await publishPage(ctx, { ...asked, cursor }, publish);
      permit.release();
      if (!page) return;
      ({ cursor } = page);
      if (!(await renew(page.many > 0)) || isOver(page.isAtEnd)) return;
      if (page.isAtEnd) await rest(poll, isFresh, [stopping, broker?.broken]);
      broker?.broken.throwIfAborted();
    }
  } finally {
    poll.leave();
    permit.release();
    broker?.close();
  }
}

type StreamRequest = { cursor: Cursor; types: string[]; exchange: string };

/**
 * Reads the next page and publishes it. Returns null if `publish` refused the page. The result does not contain the
 * events, so the page does not stay in memory.
 */
async function publishPage(
  ctx: TeamCtx,
  { cursor, types, exchange }: StreamRequest,
  publish: (messages: Message[]) => Promise<boolean>,
): Promise<{ cursor: Cursor; many: number; isAtEnd: boolean } | null> {
  const page = await readOn(ctx, cursor, types);
  const messages = page.events.flatMap((event) => messageOf(event, exchange));
  const many = messages.length;
  if (many > 0) {
    if (!(await publish(messages))) return null;
    ctx.count?.({ what: 'pipeline', many });
  }
  return { cursor: page.cursor, many, isAtEnd: isAtEnd(page) };
}

const rest = (poll: Poll, isFresh: boolean, signals: (AbortSignal | undefined)[]): Promise<void> =>
  poll.wait(isFresh ? FRESH_MS : LOOK_AGAIN_MS, signals);

/**
 * Reads a page. If retention has deleted events that the pipeline has not published, continues with the oldest stored
 * ones.
 */
async function readOn(ctx: TeamCtx, cursor: Cursor, types: string[]): Promise<Page> {
  try {
    return await readPage(ctx, cursor, { most: PAGE, types });
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'cursor_expired') throw error;
    ctx.log.error({ team_id: ctx.team.id }, 'a pipeline was away for longer than events are kept; some are missing');
    return readPage(ctx, { ...cursor, from: Date.now() / 1000 }, { most: PAGE, types });
  }
}

/** Returns the message of an event. Returns none if the body cannot be decrypted; the feed has logged this. */
function messageOf({ id, event_type, created_at, origin, bytes }: OpenEvent, exchange: string): Message[] {
  if (bytes === null) return [];
  const at = Math.floor(Date.parse(created_at) / 1000);
  return [
    {
      exchange,
      routingKey: event_type,
      id,
      type: event_type,
      at,
      headers: origin === null ? {} : { [ORIGIN_HEADER]: origin },
      body: bytes,
    },
  ];
}

const connect = (ctx: TeamCtx, { uri }: NonNullable<Sinks['rabbitmq']>, stopping: AbortSignal): Promise<Broker> =>
  openBroker({
    ...readBrokerUri(uri),
    policy: deploymentPolicy(ctx.config),
    share: ownerOf(ctx.team),
    timeoutMs: TIMEOUT_MS,
    signal: stopping,
  });
