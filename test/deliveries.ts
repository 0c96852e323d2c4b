import { sql } from 'kysely';
import { acrossTeams } from '../src/db/session/bind.ts';
import type { TestApp } from './test-app.ts';

type Row = { webhook_id: string; event_id: string; attempt: number; due: boolean };

/** The queued deliveries of an endpoint, or of all: `attempt` counts finished attempts. */
export async function queued(app: TestApp, webhookId: string | null = null): Promise<Row[]> {
  const { rows } = await sql<Row>`
    select * from (
      select webhook_id, event_id, 0 as attempt, true as due from deliveries
      union all select webhook_id, event_id, attempt, due_at <= now() from retries
    ) as rows where ${webhookId}::uuid is null or webhook_id = ${webhookId} order by event_id`.execute(
    acrossTeams(app.ctx).db,
  );
  return rows;
}

/** The attempts at an endpoint, oldest first, with opened seals. */
export async function attempted(app: TestApp, webhookId: string) {
  const rows = await acrossTeams(app.ctx)
    .db.selectFrom('attempts')
    .selectAll()
    .where('webhook_id', '=', webhookId)
    .orderBy('id')
    .execute();
  return rows.map((row) => ({
    ...row,
    error: row.error && app.ctx.cipher.openText('attempts.error', row, row.error),
    response_body: row.response_body ? app.ctx.cipher.openText('attempts.response_body', row, row.response_body) : '',
  }));
}

/** Makes every retry due, of one endpoint or of all. */
export async function dueNow(app: TestApp, webhookId: string | null = null): Promise<void> {
  const { db } = acrossTeams(app.ctx);
  await sql`update retries set due_at = now() where ${webhookId}::uuid is null or webhook_id = ${webhookId}`.execute(
    db,
  );
  await sql`
    update endpoint_queues set wake_at = now()
     where owner is null and (${webhookId}::uuid is null or webhook_id = ${webhookId})`.execute(db);
}
