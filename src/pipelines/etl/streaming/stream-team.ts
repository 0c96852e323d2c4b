import type { Ctx, TeamCtx } from '../../../context.ts';
import type { Worker } from '../../../delivery/lanes/workers.ts';
import { AppError } from '../../../errors.ts';
import { noteReader } from '../../../events/notify-readers.ts';
import { ORIGIN_HEADER } from '../../../events/origin.ts';
import { ownerOf } from '../../../fair/round-robin.ts';
import { kindOfError } from '../../../log.ts';
import type { LongPolls, Poll } from '../../../long-polls.ts';
import { BrokerFailed, GIVEN_UP } from '../../../outbound/amqp/line.ts';
import { openBroker, type Broker, type Message } from '../../../outbound/amqp/open-broker.ts';
import { deploymentPolicy } from '../../../outbound/deployment-policy.ts';
import { findTeamScopeOrNull, forTeam } from '../../../tenancy/teams/scope.ts';
import { readCursor, writeCursor, type Cursor } from '../../../webhooks/feed/cursor.ts';
import type { OpenEvent } from '../../../webhooks/feed/open-bodies.ts';
import { isAtEnd, readPage, type Page } from '../../../webhooks/feed/read-page.ts';
import { readBrokerUri } from '../broker-uri.ts';
import { openSinks, type Sinks } from '../render.ts';
import { keepLease, leaveLease, putOff, type Leased } from './lease.ts';
import { PAGE, type PagePlaces } from './page-places.ts';
import { wantedTypes } from './wanted-types.ts';

const TIMEOUT_MS = 15_000;
/** Well within the lease, which each look renews. */
const LOOK_AGAIN_MS = 15_000;
/** Who was notified only now may have missed what was being published. */
const FRESH_MS = 1_000;

export type Turn = {
  worker: Worker;
  polls: LongPolls;
  pages: PagePlaces;
  /** Whether somebody else is to have this place: at the end of the feed as soon as anybody waits, else after a while. */
  isOver: (isAtEnd: boolean) => boolean;
  stopping: AbortSignal;
  /** Comes after `stopping`: what is published by then is not waited for any more. */
  over: AbortSignal;
};

/** Streams a pipeline for as long as it is its turn. What goes wrong is this pipeline's affair: it is logged and put off. */
export async function streamTeam(ctx: Ctx, leased: Leased, turn: Turn): Promise<void> {
  const { team_id } = leased;
  const team = await findTeamScopeOrNull(ctx, team_id);
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

async function stream(ctx: TeamCtx, leased: Leased, turn: Turn): Promise<void> {
  const { worker, polls, pages, isOver, stopping, over } = turn;
  const { rabbitmq } = openSinks(ctx.cipher, leased);
  if (!rabbitmq) return;
  const asked = { types: wantedTypes(leased), exchange: rabbitmq.exchange };
  const poll = polls.enter(ownerOf(ctx.team));
  const place = pages.of(ownerOf(ctx.team));
  let broker = null as Broker | null;
  let cursor = readCursor(leased.cursor);
  const keep = (works: boolean): Promise<boolean> =>
    keepLease(ctx, leased, { worker, cursor: writeCursor(cursor), works });
  const publish = async (messages: Message[]): Promise<boolean> => {
    // While it rested the pipeline may have been changed: nothing goes where it goes no longer.
    if (!(await keep(false))) return false;
    broker ??= await connect(ctx, rabbitmq, stopping);
    await broker.publish(messages, over);
    return true;
  };
  try {
    while (!stopping.aborted) {
      poll.listen();
      const isFresh = await noteReader(ctx);
      while (!(await place.take(LOOK_AGAIN_MS, stopping))) if (stopping.aborted || !(await keep(false))) return;
      const page = await publishPage(ctx, { ...asked, cursor }, publish);
      place.giveBack();
      if (!page) return;
      ({ cursor } = page);
      if (!(await keep(page.many > 0)) || isOver(page.isAtEnd)) return;
      if (page.isAtEnd) await rest(poll, isFresh, [stopping, broker?.broken]);
      broker?.broken.throwIfAborted();
    }
  } finally {
    poll.leave();
    place.giveBack();
    broker?.close();
  }
}

type Asked = { cursor: Cursor; types: string[]; exchange: string };

/** Reads what comes next and publishes it; once this returns nothing of it is held. Null where it was not to be published. */
async function publishPage(
  ctx: TeamCtx,
  { cursor, types, exchange }: Asked,
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

/** What is older than what is kept is gone; all that is there still goes on from where the broker is. */
async function readOn(ctx: TeamCtx, cursor: Cursor, types: string[]): Promise<Page> {
  try {
    return await readPage(ctx, cursor, { most: PAGE, types });
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'cursor_expired') throw error;
    ctx.log.error({ team_id: ctx.team.id }, 'a pipeline was away for longer than events are kept; some are missing');
    return readPage(ctx, { ...cursor, from: Date.now() / 1000 }, { most: PAGE, types });
  }
}

/** None of an event that cannot be opened, which the feed has logged. */
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
