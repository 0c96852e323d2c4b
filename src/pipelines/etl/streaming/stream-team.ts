import type { Ctx, TeamCtx } from '../../../context.ts';
import { AppError } from '../../../errors.ts';
import { noteReader } from '../../../events/readers.ts';
import { kindOfError } from '../../../log.ts';
import type { LongPolls, Poll } from '../../../long-polls.ts';
import { BrokerFailed, GIVEN_UP } from '../../../outbound/amqp/line.ts';
import { openBroker, type Broker } from '../../../outbound/amqp/open-broker.ts';
import { deploymentPolicy } from '../../../outbound/deployment-policy.ts';
import { findTeamScope, forTeam } from '../../../tenancy/teams/scope.ts';
import { readCursor, writeCursor, type Cursor } from '../../../webhooks/feed/cursor.ts';
import type { FeedEvent } from '../../../webhooks/feed/open-bodies.ts';
import { isAtEnd, readPage, type Page } from '../../../webhooks/feed/read-page.ts';
import { readBrokerUri } from '../broker-uri.ts';
import { openSinks, type Sinks } from '../render.ts';
import { keepLease, leaveLease, putOff, type Leased } from './lease.ts';
import { wantedTypes } from './wanted-types.ts';

/** Events that wait for their confirms together; a page has 4 MiB at most. */
const PAGE = 200;
const TIMEOUT_MS = 15_000;
/** Well within the lease, which each look renews. */
const LOOK_AGAIN_MS = 15_000;
/** Who was notified only now may have missed what was being published. */
const FRESH_MS = 1_000;

export type Turn = {
  polls: LongPolls;
  /** Whether somebody else is to have this place. */
  isOver: () => boolean;
  stopping: AbortSignal;
  /** Comes after `stopping`: what is published by then is not waited for any more. */
  over: AbortSignal;
};

/** Streams a pipeline for as long as it is its turn. What goes wrong is this pipeline's affair: it is logged and put off. */
export async function streamTeam(ctx: Ctx, leased: Leased, turn: Turn): Promise<void> {
  const { team_id } = leased;
  const team = await findTeamScope(ctx, team_id);
  if (!team) return;
  const scoped = forTeam(ctx, team);
  try {
    await stream(scoped, leased, turn);
  } catch (error) {
    // Nothing is wrong with it: whoever has it next goes on from where it is.
    if (error instanceof BrokerFailed && error.code === GIVEN_UP) return;
    const reason = error instanceof BrokerFailed ? error.code : kindOfError(error);
    const failures = await putOff(scoped, leased, reason);
    ctx.log.warn({ team_id, reason, failures }, 'a pipeline could not be streamed');
  } finally {
    await leaveLease(scoped, leased);
  }
}

async function stream(ctx: TeamCtx, leased: Leased, { polls, isOver, stopping, over }: Turn): Promise<void> {
  const { rabbitmq } = openSinks(ctx.cipher, leased);
  if (!rabbitmq) return;
  const types = wantedTypes(leased);
  const poll = polls.enter(ctx.team.id);
  let broker: Broker | null = null;
  let cursor = readCursor(leased.cursor);
  try {
    while (!stopping.aborted) {
      poll.listen();
      const isFresh = await noteReader(ctx);
      const page = await readOn(ctx, cursor, types);
      const messages = page.events.flatMap((event) => messageOf(event, rabbitmq.exchange));
      if (messages.length > 0) {
        // While it rested the pipeline may have been changed: nothing goes where it goes no longer.
        if (!(await keepLease(ctx, leased, writeCursor(cursor), false))) return;
        broker ??= await connect(ctx, rabbitmq, stopping);
        await broker.publish(messages, over);
        ctx.count?.({ what: 'pipeline', many: messages.length });
      }
      ({ cursor } = page);
      if (!(await keepLease(ctx, leased, writeCursor(cursor), messages.length > 0)) || isOver()) return;
      if (isAtEnd(page)) await rest(poll, isFresh, [stopping, broker?.broken]);
      broker?.broken.throwIfAborted();
    }
  } finally {
    poll.leave();
    broker?.close();
  }
}

const rest = (poll: Poll, isFresh: boolean, signals: (AbortSignal | undefined)[]): Promise<void> =>
  poll.wait(isFresh ? FRESH_MS : LOOK_AGAIN_MS, signals);

/** What is older than what is kept is gone; all that is there still goes on from where the broker is. */
async function readOn(ctx: TeamCtx, cursor: Cursor, types: string[]): Promise<Page> {
  try {
    return await readPage(ctx, cursor, { limit: PAGE, types });
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'cursor_expired') throw error;
    ctx.log.error({ team_id: ctx.team.id }, 'a pipeline was away for longer than events are kept; some are missing');
    return readPage(ctx, { ...cursor, from: Date.now() / 1000 }, { limit: PAGE, types });
  }
}

/** None of an event that cannot be opened, which the feed has logged. */
function messageOf({ id, event_type, created_at, text }: FeedEvent, exchange: string) {
  if (text === null) return [];
  const at = Math.floor(Date.parse(created_at) / 1000);
  return [{ exchange, routingKey: event_type, id, type: event_type, at, body: Buffer.from(text) }];
}

const connect = (ctx: TeamCtx, { uri }: NonNullable<Sinks['rabbitmq']>, stopping: AbortSignal): Promise<Broker> =>
  openBroker({
    ...readBrokerUri(uri),
    policy: deploymentPolicy(ctx.config),
    share: ctx.team.id,
    timeoutMs: TIMEOUT_MS,
    signal: stopping,
  });
