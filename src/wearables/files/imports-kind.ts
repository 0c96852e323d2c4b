import { Type } from 'typebox';
import { jobKind } from '../../db/define-job.ts';

/** Asks for the imports that wait, whosever they are. */
export const importsKind = jobKind({ name: 'import_files', payload: Type.Object({}) });

/** A job that waits already is enough for whatever waits. */
export const JOB_KEY = 'import files';
