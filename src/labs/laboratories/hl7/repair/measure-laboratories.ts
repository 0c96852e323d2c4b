import { sql } from 'kysely';
import type { Db } from '../../../../db/open-database.ts';
import type { LaboratoryGauges } from '../../../../metrics.ts';

const COUNTED = 10_000;
/**
 * The most laboratories that we measure, more than any deployment connects. Each laboratory is one value of a metric's
 * label, and too many values overload a metrics server.
 */
const MAX_LABORATORIES = 200;

/**
 * Sets the gauges of connected laboratories. For each laboratory it reads a limited number of rows. `db` must see all
 * teams.
 */
export async function measureLaboratories(db: Db, gauges: LaboratoryGauges): Promise<void> {
  const { rows } = await sql<{ lab: string } & Record<keyof LaboratoryGauges, number>>`
    select labs.slug as lab,
           (select count(*) from (select from laboratory_outbox o
              where o.lab_id = labs.id and o.state = 'waiting' limit ${COUNTED}) as counted)::float8 as waiting,
           coalesce(extract(epoch from now() - (select o.created_at from laboratory_outbox o
              where o.lab_id = labs.id and o.state = 'waiting' order by o.id limit 1)), 0)::float8
             as "oldestWaitingSeconds",
           coalesce(extract(epoch from now() - (select min(o.answered_at) from laboratory_outbox o
              where o.lab_id = labs.id and o.state = 'committed')), 0)::float8 as "oldestCommittedSeconds",
           (select count(*) from (select from laboratory_outbox o
              where o.lab_id = labs.id and o.state = 'refused' limit ${COUNTED}) as counted)::float8 as refused,
           (select count(*) from (select from hl7_messages m
              where m.lab_id = labs.id and m.state = 'failed' limit ${COUNTED}) as counted)::float8 as "resultsWaiting"
      from laboratory_connections join labs on labs.id = laboratory_connections.lab_id
     order by labs.id limit ${MAX_LABORATORIES}`.execute(db);
  for (const [name, gauge] of Object.entries(gauges) as [keyof LaboratoryGauges, LaboratoryGauges['waiting']][]) {
    gauge.reset();
    for (const row of rows) gauge.set({ lab: row.lab }, row[name]);
  }
}
