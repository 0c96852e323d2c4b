import { runMigrations } from 'graphile-worker';
import pg from 'pg';
import { endPool } from './end-pool.ts';

/**
 * Installs the job queue's own tables and lets phial_app work on them: they carry row-level security without a policy,
 * which hides every row from whoever is not their owner.
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
        execute format('create policy phial_app on graphile_worker.%I to phial_app using (true) with check (true)', worker_table);
      end loop;
    end $$`);
}

/** By a pool of our own: that of the library is left while its connection still ends, and a server that stops then ends the process. */
async function installQueue(ownerUrl: string): Promise<void> {
  const pool = new pg.Pool({ connectionString: ownerUrl, max: 1, application_name: 'phial migrate' });
  pool.on('error', () => undefined);
  pool.on('connect', (client) => client.on('error', () => undefined)); // a lost connection fails the query under way
  try {
    await runMigrations({ pgPool: pool });
  } finally {
    await endPool(pool);
  }
}
