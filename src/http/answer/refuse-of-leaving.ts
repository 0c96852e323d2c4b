import { sql } from 'kysely';
import type { TxCtx } from '../../context.ts';
import { AppError } from '../../errors.ts';

const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi;

/**
 * Throws user_scheduled_for_deletion for a stored answer that tells of such a user, by the user's id or by that of an order, or
 * that was given to a request which names one. It is replayed again after an undo.
 */
export async function refuseOfLeaving(
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
    'What this X-Idempotency-Key was answered with tells of a user who is scheduled for deletion. It is answered again after an undo.',
  );
}
