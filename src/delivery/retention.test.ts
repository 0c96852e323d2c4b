import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../test/test-app.ts';
import { steps } from '../../test/invented-events.ts';
import { subscribe } from '../../test/factories.ts';
import { query } from '../../test/global-setup.ts';
import { publishTo } from '../../test/publish-event.ts';
import { startEndpoint } from '../../test/endpoint.ts';
import { acrossTeams } from '../db/session/bind.ts';
import { dropExpired } from '../jobs/retention.ts';

const RETENTION_DAYS = 3;

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ PHIAL_RETENTION_DAYS: String(RETENTION_DAYS) });
});
afterAll(() => app.close());

test('events, attempts and waiting deliveries are dropped by whole days once they are past retention', async () => {
  await query(app.databaseUrl, 'select ensure_partitions(current_date - 6, current_date)');
  const endpoint = await startEndpoint({ invented: true });
  await subscribe(app.team, endpoint);
  await publishTo(app, app.team, steps, {});
  await app.deliver();
  endpoint.answer((response) => response.writeHead(500).end());
  await publishTo(app, app.team, steps, {});
  await app.deliver();
  await endpoint.close();
  // We copy the rows with ids of earlier days, because retention goes by the time in the id of the event.
  const earlier = (id: string, days: number) => sql`overlay(${sql.ref(id)}::text placing
    (select left(uuid_v7_floor((now() at time zone 'UTC')::date - ${days}::integer)::text, 13)) from 1 for 13)::uuid`;
  const { db } = acrossTeams(app.ctx);
  for (const days of [5, 4, 3, 2]) {
    await sql`
      insert into events (team_id, id, event_type, body) select team_id, ${earlier('id', days)}, event_type, body
          from events
       where id >= uuid_v7_floor((now() at time zone 'UTC')::date)`.execute(db);
    await sql`
      insert into attempts (team_id, id, webhook_id, event_id, attempt, outcome, duration_ms)
      select team_id, gen_random_uuid(), webhook_id, ${earlier('event_id', days)}, attempt, outcome, duration_ms
          from attempts
       where event_id >= uuid_v7_floor((now() at time zone 'UTC')::date)`.execute(db);
    await sql`
      insert into retries (webhook_id, event_id, team_id, attempt, due_at)
      select webhook_id, ${earlier('event_id', days)}, team_id, attempt, now() + interval '1 hour' from retries
       where event_id >= uuid_v7_floor((now() at time zone 'UTC')::date)`.execute(db);
  }
  const ages = async (table: string, id: string): Promise<number[]> => {
    const { rows } = await sql<{ days: number }>`
      select (now() at time zone 'UTC')::date
           - (to_timestamp(('x' || left(replace(${sql.ref(id)}::text, '-', ''),
               12))::bit(48)::bigint / 1000.0) at time zone 'UTC')::date as days
        from ${sql.table(table)} order by days desc`.execute(db);
    return rows.map(({ days }) => days);
  };
  const all = () => Promise.all([ages('events', 'id'), ages('attempts', 'event_id'), ages('retries', 'event_id')]);
  const twice = (days: number[]) => days.flatMap((day) => [day, day]);
  expect(await all()).toEqual([twice([5, 4, 3, 2, 0]), twice([5, 4, 3, 2, 0]), [5, 4, 3, 2, 0]]);
  await dropExpired(app.ctx);
  expect(await all()).toEqual([twice([3, 2, 0]), twice([3, 2, 0]), [3, 2, 0]]);
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_class where relname ~ '^(events|attempts)_[0-9]{8}$'
       and to_date(right(relname, 8),
           'YYYYMMDD') < (now() at time zone 'UTC')::date - ${RETENTION_DAYS}::integer`.execute(db);
  expect(rows).toEqual([]);
});

test('deliveries of old events are deleted also while another transaction reads all attempts', async () => {
  await query(app.databaseUrl, 'select ensure_partitions(current_date - 6, current_date)');
  const old = 'uuid_v7_floor(current_date - 5)';
  const endpoint = await startEndpoint();
  const webhook = await subscribe(app.team, endpoint);
  await endpoint.close();
  await query(
    app.databaseUrl,
    `insert into deliveries (webhook_id, event_id, team_id) values ('${webhook}', ${old}, '${app.team.id}');
     insert into deferred_deliveries (user_id, webhook_id, event_id, team_id, attempt)
       values (gen_random_uuid(), '${webhook}', ${old}, '${app.team.id}', 0)`,
  );
  const waiting = async (): Promise<number> => {
    const { rows } = await sql<{ many: number }>`
      select ((select count(*) from deliveries where webhook_id = ${webhook})
            + (select count(*) from deferred_deliveries where webhook_id = ${webhook}))::integer as many`.execute(
      app.db,
    );
    return rows[0]?.many ?? NaN;
  };
  expect(await waiting()).toBe(2);
  await app.db.transaction().execute(async (reader) => {
    await sql`select count(*) from attempts`.execute(reader);
    await dropExpired(app.ctx);
  });
  expect(await waiting()).toBe(0);
});
