import { sql } from 'kysely';
import type { Static } from 'typebox';
import type { TeamCtx } from '../../../../context.ts';
import { decodeCursor, isId, takePage } from '../../../../db/cursor.ts';
import type {
  LaboratoryMessage,
  LaboratoryMessagePage,
  MessageQuery,
  LaboratoryOutboxEntry,
  LaboratoryOutboxPage,
  OutboxQuery,
} from './schemas.ts';

type Filter = Omit<Static<typeof MessageQuery>, 'limit'> & { limit: number };
type OutboxFilter = Omit<Static<typeof OutboxQuery>, 'limit'> & { limit: number };
type Message = Static<typeof LaboratoryMessage>;

const afterOf = (cursor: string | undefined): string | null =>
  cursor === undefined ? null : decodeCursor(cursor, isId);

/** The columns of a message in a list: only ids and codes. */
const SHOWN = sql`m.id, labs.slug as lab, m.control_id, m.message_type as type, m.state, m.reason, m.warnings,
  m.order_id, m.partly_applied as is_partly_applied, coalesce(m.waits, '[]') as waits, m.received_at`;

/**
 * Lists the messages from laboratories that the team may see, oldest first: messages about its orders, and messages to
 * an account that no other team has.
 */
export async function listMessagesOfTeam(
  ctx: TeamCtx,
  { state = 'failed', lab, reason, order_id, limit, next_cursor }: Filter,
): Promise<Static<typeof LaboratoryMessagePage>> {
  const { rows } = await sql<Message>`
    select ${SHOWN} from hl7_messages m join labs on labs.id = m.lab_id
     where m.team_id = ${ctx.team.id} and m.state = ${state}
       and (${lab ?? null}::text is null or labs.slug = ${lab ?? null})
       and (${reason ?? null}::text is null or m.reason = ${reason ?? null})
       and (${order_id ?? null}::uuid is null or m.order_id = ${order_id ?? null})
       and (${afterOf(next_cursor)}::uuid is null or m.id > ${afterOf(next_cursor)})
     order by m.id limit ${limit + 1}`.execute(ctx.db);
  const { page, next_cursor: next } = takePage(rows, limit, ({ id }) => id);
  return { data: page, next_cursor: next };
}

/** Returns one message from a laboratory; null if it is not a message of the team. */
export async function messageOfTeamOrNull(ctx: TeamCtx, id: string): Promise<Message | null> {
  const { rows } = await sql<Message>`
    select ${SHOWN} from hl7_messages m join labs on labs.id = m.lab_id
     where m.team_id = ${ctx.team.id} and m.id = ${id}`.execute(ctx.db);
  return rows[0] ?? null;
}

/** The states in which a message is not done. An index has only these. */
const OPEN = ['waiting', 'held', 'committed', 'refused'];

/** Lists the messages to laboratories about the team's orders, oldest first. */
export async function listOutboxOfTeam(
  ctx: TeamCtx,
  { state = 'refused', lab, reason, order_id, limit, next_cursor }: OutboxFilter,
): Promise<Static<typeof LaboratoryOutboxPage>> {
  const { rows } = await sql<Static<typeof LaboratoryOutboxEntry>>`
    select o.id, labs.slug as lab, o.order_id, o.user_id,
           case when users.deleted_at is null then orders.last_status end as order_status,
           o.action, o.state, case when o.state = 'held' then o.held_by end as held_by,
           coalesce(s.held_at is not null, false) as is_lab_held, o.last_error as reason, o.attempts, o.created_at
      from laboratory_outbox o join labs on labs.id = o.lab_id
      join orders on orders.user_id = o.user_id and orders.id = o.order_id join users on users.id = o.user_id
      left join laboratory_senders s on s.lab_id = o.lab_id
     where o.team_id = ${ctx.team.id} and o.state = any (${state === 'open' ? OPEN : [state]}::text[])
       and (${lab ?? null}::text is null or labs.slug = ${lab ?? null})
       and (${reason ?? null}::text is null or o.last_error = ${reason ?? null})
       and (${order_id ?? null}::uuid is null or o.order_id = ${order_id ?? null})
       and (${afterOf(next_cursor)}::uuid is null or o.id > ${afterOf(next_cursor)})
     order by o.id limit ${limit + 1}`.execute(ctx.db);
  const { page, next_cursor: next } = takePage(rows, limit, ({ id }) => id);
  return { data: page, next_cursor: next };
}

/** Returns whether a message to a laboratory belongs to the team. */
export async function isInOutboxOfTeam(ctx: TeamCtx, id: string): Promise<boolean> {
  const { rows } = await sql`select from laboratory_outbox where team_id = ${ctx.team.id} and id = ${id}`.execute(
    ctx.db,
  );
  return rows.length > 0;
}
