import type { Static } from 'typebox';
import type { TeamCtx } from '../../context.ts';
import { addJob } from '../../db/define-job.ts';
import { inTransaction } from '../../db/transaction.ts';
import { checkAgreement } from '../connections/tokens/check-agreement.ts';
import { ProviderUnavailable } from '../providers/provider-errors.ts';
import { defineTeamJob } from '../../tenancy/teams/define-team-job.ts';
import { claimPoll, endPollLease, type Claim } from '../pulls/poll-lease.ts';
import { pullWindows } from '../pulls/poll.ts';
import { isGone, isRetriable, PullError, type Importer } from '../providers/importer.ts';
import { importerOrNull } from '../pulls/importers.ts';
import type { StoredResource } from '../pulls/store-pulled.ts';
import { asWriter } from '../user-writer.ts';
import { deleteAbsent } from '../summaries/deletion/delete-at-source.ts';
import { deleteAbsentSamples } from '../timeseries/deletion/delete-absent-samples.ts';
import { giveTryBack, inboxKind, isWaiting, markWorked, takeRows, type InboxRow } from './inbox.ts';
import { pullNamedObject } from './pull-named-object.ts';
import { windowsOf, type RequestedWindow } from './windows-of.ts';

type Job = Static<(typeof inboxKind)['payload']>;
const NEXT_TRY_SECONDS = 60;
/**
 * The wait in seconds if a poll of the connection is running. That poll may have read the data before it changed, so
 * the job asks again afterwards.
 */
const POLL_SECONDS = 15;

/**
 * The job that pulls the data that has changed according to a provider's notifications about a connection. Polls of the
 * connection use the same lease, so this job and a poll never run at the same time.
 */
export const inboxWork = defineTeamJob({
  ...inboxKind,
  run: async (ctx, job) => {
    if (!(await isWaiting(ctx, job))) return;
    const claim = await claimPoll(ctx, job, { whenDue: false });
    if (!claim) return again(ctx, job, POLL_SECONDS);
    try {
      await work(ctx, job, claim);
    } catch (error) {
      if (!isGone(error)) throw error;
    } finally {
      await endPollLease(ctx, claim);
    }
  },
});

async function work(ctx: TeamCtx, job: Job, claim: Claim): Promise<void> {
  const importer = importerOrNull(ctx, claim.connection);
  const rows = await takeRows(ctx, job);
  if (!importer || rows.length === 0) return;
  try {
    if (rows.some(({ ended }) => ended)) await checkAgreement(ctx, job);
    const left: InboxRow[] = [];
    for (const row of rows) left.push(...(await pullNamedObject(ctx, claim, importer, row)));
    const outcome = await pullWindows(ctx, claim, {
      importer,
      windows: windowsOf(claim, importer, left),
      stored: async (asked, stored) => {
        if (!asked.isSpan) return;
        for (const resource of asked.resources)
          await reconcile(ctx, claim, importer, { resource, asked, stored: stored.get(resource) as StoredResource });
      },
    });
    // Null means that the service is stopping, or that the user is scheduled for deletion. The next run continues.
    if (outcome === null) return again(ctx, job, 0);
    if (!outcome.succeeded) throw new PullError('provider_unavailable', outcome.wait, outcome);
    await markWorked(ctx, job, rows);
  } catch (error) {
    const pullError = error instanceof ProviderUnavailable ? new PullError('provider_unavailable') : error;
    if (!(pullError instanceof PullError)) throw error;
    if (!isRetriable(pullError.group)) return markWorked(ctx, job, rows);
    if (pullError.isDeferred) await giveTryBack(ctx, job, rows);
    await again(ctx, job, Math.max(pullError.retryAfterSeconds ?? 0, NEXT_TRY_SECONDS));
  }
}

/**
 * Deletes stored data that the provider no longer has, after all data of the span was pulled. Deletes samples only if a
 * notification reports a deletion.
 */
async function reconcile(
  ctx: TeamCtx,
  { user, connection }: Claim,
  { sampleSources: source_types }: Importer,
  {
    resource,
    asked: { window, deleted },
    stored,
  }: { resource: string; asked: RequestedWindow; stored: StoredResource },
): Promise<void> {
  const { provider } = connection;
  const retained = [...stored.provider_ids];
  await asWriter(ctx, { user_id: user.id, origin: 'live' }, (tx, present) =>
    deleteAbsent(tx, present, { resource, provider, span: window, retained }),
  );
  if (source_types === undefined) return;
  for (const span of deleted)
    await deleteAbsentSamples(ctx, user, { resource, provider, source_types, span, retained: stored.sample_times });
}

function again(ctx: TeamCtx, job: Job, delaySeconds: number): Promise<void> {
  return inTransaction(ctx, ({ db }) => addJob(db, inboxKind, job, { delaySeconds }));
}
