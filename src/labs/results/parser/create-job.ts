import type { Static } from 'typebox';
import type { TeamCtx } from '../../../context.ts';
import { addJob } from '../../../db/define-job.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { publishEvent } from '../../../events/publish.ts';
import type { Form } from '../../../http/media.ts';
import { newId } from '../../../ids.ts';
import { findUser } from '../../../users/find.ts';
import { parsingJobCreated } from './events.ts';
import { findJob, JOB_COLUMNS, renderJob } from './find-job.ts';
import { parseKind } from './parse-kind.ts';
import type { ParserJobFields, ParsingJobWithFiles } from './schemas.ts';
import { forgetFiles, storeFile } from './store-file.ts';

/**
 * Stores the files of a form as they arrive and queues the job that reads them. What is refused or cut off leaves nothing
 * behind. Throws what storeFile does, and what is wrong with the user.
 */
export async function createJob(
  ctx: TeamCtx,
  form: Form<typeof ParserJobFields>,
): Promise<Static<typeof ParsingJobWithFiles>> {
  const id = newId();
  try {
    let n = 0;
    for await (const file of form.files) {
      await storeFile(ctx, { job_id: id, n }, file);
      n += 1;
    }
    return await queue(ctx, id, form.fields());
  } catch (error) {
    await forgetFiles(ctx, id);
    throw error;
  }
}

function queue(
  ctx: TeamCtx,
  id: string,
  { user_id, needs_human_review = false }: Static<typeof ParserJobFields>,
): Promise<Static<typeof ParsingJobWithFiles>> {
  return inTransaction(ctx, async (tx) => {
    const user = await findUser(tx, user_id);
    await tx.db
      .updateTable('lab_report_files')
      .set({ is_stored: true })
      .where('job_id', '=', id)
      .where('team_id', '=', tx.team.id)
      .execute();
    const row = await tx.db
      .insertInto('lab_report_jobs')
      .values({ user_id, id, team_id: tx.team.id, needs_human_review })
      .returning(JOB_COLUMNS)
      .executeTakeFirstOrThrow();
    await publishEvent(tx, parsingJobCreated, { user, data: renderJob(tx, row) });
    await addJob(tx.db, parseKind, {});
    return findJob(tx, id);
  });
}
