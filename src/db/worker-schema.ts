import { runMigrations } from 'graphile-worker';
import pg from 'pg';
import { endPool } from './end-pool.ts';

/**
 * Creates the tables of the job queue, and lets phial_app use them. The library makes them with row-level security but
 * without a policy, so phial_app would see no rows. This function adds the policies.
 */
export async function grantWorkerSchema(client: pg.Client, ownerUrl: string): Promise<void> {
  await installQueue(ownerUrl);
  await client.query(`
    do $$
    declare
      worker_table text;
    begin
      perform pg_advisory_xact_lock(hashtext('phial worker grants'));
      grant usage on schema graphile_worker to phial_app;
      grant select, insert, update, delete on all tables in schema graphile_worker to phial_app;
      grant usage on all sequences in schema graphile_worker to phial_app;
      grant execute on all functions in schema graphile_worker to phial_app;
      for worker_table in
        select relname from pg_class
         where relnamespace = 'graphile_worker'::regnamespace and relrowsecurity
           and not exists (select from pg_policy where polrelid = pg_class.oid and polname = 'phial_app')
      loop
        execute format(
          'create policy phial_app on graphile_worker.%I to phial_app using (true) with check (true)', worker_table);
      end loop;
    end $$`);
}

/**
 * Creates the tables with a pool of our own. The library would return before the connections of its pool have closed.
 * If PostgreSQL stopped at that moment, the error of these connections would end the process.
 */
async function installQueue(ownerUrl: string): Promise<void> {
  const pool = new pg.Pool({ connectionString: ownerUrl, max: 1, application_name: 'phial migrate' });
  pool.on('error', () => undefined);
  // A lost connection fails the running query, which reports it.
  pool.on('connect', (client) => client.on('error', () => undefined));
  try {
    await runMigrations({ pgPool: pool });
  } finally {
    await endPool(pool);
  }
}
