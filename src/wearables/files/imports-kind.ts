import { Type } from 'typebox';
import { jobKind } from '../../db/define-job.ts';

/** The job that runs all waiting imports of all teams. Its key lets only one such job wait. */
export const importsKind = jobKind({ name: 'import_files', payload: Type.Object({}), key: () => 'import files' });
