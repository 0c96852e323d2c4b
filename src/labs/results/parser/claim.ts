import { sql } from 'kysely';
import type { Leased } from '../../../files/file-queue.ts';

/** A job that this process works on as long as nobody else has another lease of it. */
export type Claimed = Leased;

/** How lab reports are leased; a lease lasts longer than all files of a job may take to be read. */
export const LAB_REPORTS = {
  table: 'lab_report_jobs',
  leaseSeconds: 360,
  mostAttempts: 3,
  mostAtOnce: 1,
  begins: sql``,
} as const;
