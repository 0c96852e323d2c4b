import type { TSchema } from 'typebox';
import { acrossTeams, boundToTeam } from '../src/db/session/bind.ts';
import { inTransaction } from '../src/db/transaction.ts';
import type { EventType } from '../src/events/define.ts';
import { publishEvent, type Publication } from '../src/events/publish.ts';
import type { TestApp } from './test-app.ts';

/** Publishes an event in its own transaction, as a service function of the team would. */
export function publishTo<T extends TSchema>(
  app: TestApp,
  team: { id: string },
  type: EventType<T>,
  data: Publication<T>['data'],
  user: Publication<T>['user'] = null,
): Promise<string> {
  return inTransaction(boundToTeam(app.ctx, team.id), (ctx) => publishEvent({ ...ctx, team }, type, { user, data }));
}

/** Every event that was published to a team, oldest first. */
export async function publishedTo(
  app: TestApp,
  team: { id: string },
): Promise<{ id: string; event_type: string; user_id: string | null; body: string }[]> {
  const rows = await acrossTeams(app.ctx)
    .db.selectFrom('events')
    .select(['id', 'event_type', 'user_id', 'body'])
    .where('team_id', '=', team.id)
    .orderBy('id')
    .execute();
  return Promise.all(
    rows.map(async (row) => ({
      ...row,
      body: await app.ctx.cipher.openPacked('events.body', { team_id: team.id, id: row.id }, row.body),
    })),
  );
}
