import { sql } from 'kysely';
import type { Db } from '../../../db/open-database.ts';
import type { Metrics } from '../../../metrics.ts';

/**
 * Measures how many pipelines fail, and for how long the first of them has failed. `db` must have access to all teams.
 */
export async function measurePipelines(db: Db, { pipelines }: Metrics): Promise<void> {
  const { rows } = await sql<{ failing: number; seconds: number }>`
    select count(*)::int as failing, coalesce(extract(epoch from now() - min(failing_since)), 0)::float8 as seconds
      from etl_pipelines where streams and failing_since is not null`.execute(db);
  pipelines.failing.set(rows[0]?.failing ?? 0);
  pipelines.failingSeconds.set(rows[0]?.seconds ?? 0);
}
