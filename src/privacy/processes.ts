// Records the running processes, with the encryption keys that each of them has. Every process must be able to decrypt
// what another process encrypts.
import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { sql } from 'kysely';
import type { Ctx } from '../context.ts';
import type { Db } from '../db/open-database.ts';
import { Outage } from '../db/session/outage.ts';
import type { Cipher } from './cipher.ts';

const BEAT_MS = 10_000;
/** A process counts as dead after this time without a heartbeat. It is long, because several heartbeats can be late. */
export const GONE_AFTER_SECONDS = 60;

export type Presence = { stop: () => Promise<void> };

/** Writes a row for this process, and updates it every ten seconds until the process stops. */
export async function announceProcess(
  { db, log, cipher }: Pick<Ctx, 'db' | 'log' | 'cipher'>,
  role: string,
  beatMs = BEAT_MS,
): Promise<Presence> {
  const id = randomUUID();
  const outage = new Outage(log, 'the heartbeat of this process cannot be written');
  let logged = '';
  const write = async (): Promise<void> => {
    const missing = await beat(db, { id, role, cipher });
    if (missing.length > 0 && missing.join() !== logged)
      log.error(
        { key_versions: missing },
        'this process does not have an encryption key in use: it runs no background jobs and delivers nothing',
      );
    logged = missing.join();
  };
  await write();
  const { rows } = await sql.raw<LiveProcess>(LIVE_PROCESSES).execute(db);
  for (const { role, host, pid } of rows.filter((row) => !row.key_versions.includes(cipher.sealing))) {
    const key_version = cipher.sealing;
    log.warn({ key_version, role, host, pid }, 'another process lacks the key with which this process encrypts');
  }
  let beating = Promise.resolve();
  const timer = setInterval(() => {
    beating = write().then(
      () => outage.over(),
      (error: unknown) => outage.met(error),
    );
  }, beatMs);
  timer.unref();
  return {
    stop: async () => {
      clearInterval(timer);
      // A heartbeat that is still running would write the row again, so we wait for it before we delete the row.
      await beating;
      await sql`delete from processes where id = ${id}`.execute(db).catch((error: unknown) => outage.met(error));
    },
  };
}

/** Writes a heartbeat. Returns the encryption key versions in use whose keys this process does not have. */
async function beat(db: Db, { id, role, cipher }: { id: string; role: string; cipher: Cipher }): Promise<number[]> {
  await sql`
    insert into processes (id, role, host, pid, key_versions, sealing_version)
    values (${id}, ${role}, ${hostname()}, ${process.pid}, ${cipher.versions}::smallint[], ${cipher.sealing})
    on conflict (id) do update set seen_at = now()`.execute(db);
  await sql`delete from processes where seen_at < now() - interval '1 hour'`.execute(db);
  return findMissingKeys(db, cipher);
}

/**
 * Returns the encryption key versions that are in use but whose keys this process does not have. It also passes them to
 * the cipher, which can then distinguish a missing key from an invalid version.
 */
export async function findMissingKeys(db: Db, cipher: Cipher): Promise<number[]> {
  const { rows } = await sql<{ version: number }>`
    select version from encryption_keys where version <> all (${cipher.versions}::smallint[]) order by version`.execute(
    db,
  );
  const missing = rows.map(({ version }) => version);
  cipher.noteMissing(missing);
  return missing;
}

export type LiveProcess = {
  role: string;
  host: string;
  pid: number;
  key_versions: number[];
  sealing_version: number;
  seconds: number;
};

export const LIVE_PROCESSES = `
  select role, host, pid, key_versions::int[] as key_versions, sealing_version,
         extract(epoch from now() - seen_at)::int as seconds
    from processes
   where seen_at > now() - interval '${GONE_AFTER_SECONDS} seconds'
   order by started_at, id`;
