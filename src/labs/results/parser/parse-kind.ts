import { Type } from 'typebox';
import { jobKind } from '../../../db/define-job.ts';

/** Asks for the lab reports that wait, whosever they are: a job that waits already is enough for all of them. */
export const parseKind = jobKind({
  name: 'parse_lab_reports',
  payload: Type.Object({}),
  key: () => 'parse lab reports',
});
