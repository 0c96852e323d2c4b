import type { Static } from 'typebox';
import type { TeamCtx } from '../../../context.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { AppError } from '../../../errors.ts';
import { columnNames } from '../query-result.ts';
import { planOf } from '../read-query.ts';
import { refuseOneMore, slugOf, slugTaken, type QueryInput } from './create.ts';
import { listContinuousQueries } from './find.ts';
import type { ContinuousQueryValidation } from './schemas.ts';

/**
 * Returns whether the team could create the query now, all problems if not, and the names of the result's columns. The
 * validation of the request has already refused an invalid query. Changes nothing.
 */
export async function validateContinuousQuery(
  ctx: TeamCtx,
  input: QueryInput,
): Promise<Static<typeof ContinuousQueryValidation>> {
  const problems: AppError[] = [];
  await inTransaction(ctx, refuseOneMore).catch((error: unknown) => {
    if (!(error instanceof AppError)) throw error;
    problems.push(error);
  });
  const slug = slugOf(input);
  if ((await listContinuousQueries(ctx)).some((query) => query.slug === slug)) problems.push(slugTaken(slug));
  return {
    valid: problems.length === 0,
    columns: columnNames(planOf(input.query)),
    problems: problems.map(({ code, message }) => ({ code, msg: message })),
  };
}
