import { sql } from 'kysely';
import type { Leased } from '../../../files/file-queue.ts';

/** A job that this process has leased. The lease is valid as long as no other process has a newer one. */
export type ClaimedReport = Leased;

/**
 * The settings for leases of lab reports. A lease lasts longer than the time in which we must read all files of a job.
 */
export const LAB_REPORTS = {
  table: 'lab_report_jobs',
  leaseSeconds: 360,
  maxAttempts: 3,
  maxAtOnce: 1,
  begins: sql``,
} as const;
