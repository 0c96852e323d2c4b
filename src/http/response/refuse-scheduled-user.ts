import { sql } from 'kysely';
import type { TxCtx } from '../../context.ts';
import { AppError } from '../../errors.ts';

const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi;

/**
 * Throws user_scheduled_for_deletion if the stored response or its request contains the id of a user who is scheduled
 * for deletion, or the id of one of the user's orders. If somebody undoes the deletion, we send the stored response
 * again.
 */
export async function refuseIfUserIsScheduled(
  { db }: TxCtx,
  { scopeId, input }: { scopeId: string; input: unknown },
  body: string,
): Promise<void> {
  const ids = [...new Set(`${body} ${JSON.stringify(input)}`.toLowerCase().match(UUID) ?? [])];
  if (ids.length === 0) return;
  const { rows } = await sql`
    select from users where team_id = ${scopeId} and id = any (${ids}::uuid[]) and deleted_at is not null
    union all
    select from orders join users on users.id = orders.user_id
     where orders.team_id = ${scopeId} and orders.id = any (${ids}::uuid[]) and users.deleted_at is not null
    limit 1`.execute(db);
  if (rows.length === 0) return;
  throw new AppError(
    'user_scheduled_for_deletion',
    'The response for this X-Idempotency-Key describes a user who is scheduled for deletion. It is repeated ' +
      'again if the deletion is undone.',
  );
}
