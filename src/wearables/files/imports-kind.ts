import { Type } from 'typebox';
import { jobKind } from '../../db/define-job.ts';

/** Asks for the imports that wait, whosever they are: a job that waits already is enough for all of them. */
export const importsKind = jobKind({ name: 'import_files', payload: Type.Object({}), key: () => 'import files' });
