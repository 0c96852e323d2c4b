import { Type } from 'typebox';
import { jobKind } from '../../../db/define-job.ts';

/**
 * The job that reads the waiting lab reports of all teams. At most one such job waits, because it reads all of them.
 */
export const parseKind = jobKind({
  name: 'parse_lab_reports',
  payload: Type.Object({}),
  key: () => 'parse lab reports',
});
