import type { Static } from 'typebox';
import type { TeamCtx, TxCtx } from '../../../context.ts';
import { addJob } from '../../../db/define-job.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { publishEvent } from '../../../events/publish.ts';
import type { Form } from '../../../operation/media.ts';
import { refuseWhereStorageIsFull } from '../../../files/free-storage.ts';
import { newId } from '../../../ids.ts';
import { findUser } from '../../../users/find.ts';
import { parsingJobCreated } from './events.ts';
import { findJob, JOB_COLUMNS, renderJob } from './find-job.ts';
import { parseKind } from './parse-kind.ts';
import type { ParserJobFields, ParsingJobWithFiles } from './schemas.ts';
import { forgetFiles, storeFile } from './store-file.ts';

/**
 * Stores the files of an uploaded form while they arrive, and adds the job that reads them. If we refuse the form, if
 * the connection breaks, or if the form repeats an earlier idempotency key, no file of the form stays stored. Throws
 * the errors of `storeFile` and of `findUser`.
 */
export async function createJob(
  ctx: TeamCtx,
  form: Form<typeof ParserJobFields>,
): Promise<Static<typeof ParsingJobWithFiles>> {
  await refuseWhereStorageIsFull(ctx);
  const id = newId();
  try {
    const digests: string[] = [];
    for await (const file of form.files) digests.push(await storeFile(ctx, { job_id: id, n: digests.length }, file));
    const fields = form.fields();
    const job = await inTransaction(ctx, (tx) => form.once(tx, { ...fields, digests }, () => queue(tx, id, fields)));
    if (job.id !== id) await forgetFiles(ctx, id);
    return job;
  } catch (error) {
    await forgetFiles(ctx, id);
    throw error;
  }
}

async function queue(
  ctx: TxCtx<TeamCtx>,
  id: string,
  { user_id, needs_human_review }: Static<typeof ParserJobFields>,
): Promise<Static<typeof ParsingJobWithFiles>> {
  const user = await findUser(ctx, user_id);
  await ctx.db
    .updateTable('lab_report_files')
    .set({ is_stored: true })
    .where('job_id', '=', id)
    .where('team_id', '=', ctx.team.id)
    .execute();
  const row = await ctx.db
    .insertInto('lab_report_jobs')
    .values({ user_id, id, team_id: ctx.team.id, needs_human_review })
    .returning(JOB_COLUMNS)
    .executeTakeFirstOrThrow();
  await publishEvent(ctx, parsingJobCreated, { user, data: renderJob(ctx, row) });
  await addJob(ctx.db, parseKind, {});
  return findJob(ctx, id);
}
