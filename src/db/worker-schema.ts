import { runMigrations } from 'graphile-worker';
import type pg from 'pg';

/**
 * Installs the job queue's own tables and lets phial_app work on them: they carry row-level security without a policy,
 * which hides every row from whoever is not their owner.
 */
export async function grantWorkerSchema(client: pg.Client, ownerUrl: string): Promise<void> {
  await runMigrations({ connectionString: ownerUrl, maxPoolSize: 1 });
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
