import { sql } from 'kysely';
import type { Tx } from './open.ts';

/** Adds background work in the caller's transaction: it runs exactly when the change it follows from is there. */
export async function addJob(tx: Tx, task: string, payload: Record<string, unknown>, delaySeconds = 0): Promise<void> {
  await sql`
    select graphile_worker.add_job(${task}, ${JSON.stringify(payload)}::json,
      run_at => now() + make_interval(secs => ${delaySeconds}))`.execute(tx);
}
