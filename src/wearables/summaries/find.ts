import { sql } from 'kysely';
import type { TeamCtx } from '../../context.ts';
import { notFound } from '../../errors.ts';
import { findUser } from '../../users/find.ts';
import { renderRaw, renderSummary, RENDERED_COLUMNS, type RenderedRow } from './render.ts';
import { device } from './resources/device.ts';
import { profile } from './resources/profile.ts';

type Row = RenderedRow & { start_at: string | null; raw: Buffer };

const rowsOf = (ctx: TeamCtx, userId: string, resource: string) =>
  ctx.db
    .selectFrom('summaries')
    .select([...RENDERED_COLUMNS, 'start_at', 'raw'])
    .where('team_id', '=', ctx.team.id)
    .where('user_id', '=', userId)
    .where('resource', '=', resource);

/**
 * Returns the profile that changed last, among those with any value, of one provider or of all. Throws not_found for
 * the user, and if there is no such profile.
 */
export async function findProfile(
  ctx: TeamCtx,
  userId: string,
  provider: string | null,
): Promise<Record<string, unknown>> {
  return renderSummary(ctx, profile, await findProfileRow(ctx, userId, provider));
}

/** Returns the profile that findProfile returns, but in the form in which its provider sent it. */
export async function findRawProfile(
  ctx: TeamCtx,
  userId: string,
  provider: string | null,
): Promise<Record<string, unknown>> {
  return renderRaw(ctx, profile, await findProfileRow(ctx, userId, provider));
}

async function findProfileRow(ctx: TeamCtx, userId: string, provider: string | null): Promise<Row> {
  await findUser(ctx, userId);
  const row = await rowsOf(ctx, userId, profile.name)
    .where(sql<boolean>`(${provider}::text is null or provider = ${provider}::text)`)
    .orderBy(sql`values = '{}'::jsonb and texts is null`)
    .orderBy('updated_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (!row) throw notFound('Profile of this user');
  return row;
}

/** Returns one device of a user. Throws not_found for the user, and if the user has no such device. */
export async function findDevice(ctx: TeamCtx, userId: string, deviceId: string): Promise<Record<string, unknown>> {
  await findUser(ctx, userId);
  const row = await rowsOf(ctx, userId, device.name).where('id', '=', deviceId).executeTakeFirst();
  if (!row) throw notFound('Device');
  return renderSummary(ctx, device, row);
}
