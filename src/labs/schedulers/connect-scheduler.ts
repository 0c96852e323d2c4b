import pg from 'pg';
import { insertOf } from '../../audit/entry.ts';
import { readSecrets } from './secrets.ts';
import type { SchedulerSettings } from './scheduler-settings.ts';

/** Returns an entry of the audit log. A scheduler belongs to no organisation. */
const lineOf = (action: string) => ({
  org_id: null,
  team_id: null,
  key_id: null,
  person_id: null,
  actor: 'operator',
  action,
  status: null,
  records: [],
  request_id: null,
  address: null,
});

/** Connects a scheduler or changes its settings, and writes an entry into the audit log. Throws SecretUnreadable. */
export async function connectScheduler(ownerUrl: string, settings: SchedulerSettings): Promise<void> {
  if (settings.http) await readSecrets(settings.http);
  await asOwner(ownerUrl, async (client) => {
    await client.query(
      `insert into scheduler_connections (provider, settings) values ($1, $2)
       on conflict (provider) do update set settings = excluded.settings, updated_at = now()`,
      [settings.provider, JSON.stringify(settings)],
    );
    await client.query(insertOf(lineOf('scheduler connect')));
  });
}

/**
 * Removes the connection of a scheduler. Returns false if there was none. Appointments that the scheduler booked stay,
 * and the operator has to manage them.
 */
export async function disconnectScheduler(ownerUrl: string, provider: string): Promise<boolean> {
  return asOwner(ownerUrl, async (client) => {
    const { rowCount } = await client.query('delete from scheduler_connections where provider = $1', [provider]);
    if (rowCount === 0) return false;
    await client.query(insertOf(lineOf('scheduler disconnect')));
    return true;
  });
}

async function asOwner<T>(ownerUrl: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: ownerUrl, application_name: 'phial scheduler' });
  client.on('error', () => undefined); // A lost connection fails the running query, which reports it.
  await client.connect();
  try {
    await client.query('begin');
    const done = await work(client);
    await client.query('commit');
    return done;
  } catch (error) {
    await client.query('rollback').catch(() => undefined);
    throw error;
  } finally {
    await client.end();
  }
}
