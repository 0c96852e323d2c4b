import { sql } from 'kysely';
import type { TeamCtx, TxCtx } from '../../context.ts';
import { lockName } from '../../db/session/named-lock.ts';
import { AppError } from '../../errors.ts';
import type { LoadedOrder } from './load-order.ts';

/** The form of the sample ids that only the simulated laboratory issues. A sample id identifies one sample or kit. */
const SIMULATED_SAMPLE_ID = /^SIM[0-9A-Z]{12}$/;

/**
 * The form of the ids that a deployment assigns to samples together with order numbers
 * (laboratories/hl7/outbox/number-order.ts).
 */
const NUMBERED_SAMPLE_ID = /^KP[0-9A-Z]{8,}$/;

/** Returns a sample id in the form in which we store it. Upper and lower case do not matter. */
export const canonicalSampleId = (sampleId: string): string => sampleId.toUpperCase();

/**
 * Finds a sample id of the team and locks it, even if it has no row yet. If two requests register the same sample, the
 * second waits here until the first has committed. Then it finds the row that the first has stored.
 */
export async function findSampleOrNull(
  ctx: TxCtx<TeamCtx>,
  sampleId: string,
): Promise<{ order_id: string | null } | null> {
  await lockName(ctx.db, 'sample', sampleId);
  const {
    rows: [known],
  } = await sql<{ order_id: string | null }>`
    select order_id from sample_ids where sample_id = ${sampleId} and team_id = ${ctx.team.id}`.execute(ctx.db);
  return known ?? null;
}

/**
 * Gives an existing order its sample id. Every such change goes through this function. It succeeds if the id was issued
 * to the team and no order has it. It also succeeds for an id that nobody has, if the caller has checked that the order
 * may take it. Throws sample_already_registered for any other id.
 */
export async function bindSample(ctx: TxCtx<TeamCtx>, order: LoadedOrder, sampleId: string): Promise<LoadedOrder> {
  const { row } = order;
  const { rows } = await sql`
    with issued as (
      update sample_ids set order_id = ${row.id}
       where sample_id = ${sampleId} and team_id = ${ctx.team.id} and order_id is null returning sample_id
    ), fresh as (
      insert into sample_ids (sample_id, team_id, order_id)
      select ${sampleId}, ${ctx.team.id}, ${row.id} where not exists (select from issued)
          on conflict do nothing returning sample_id
    )
    update orders set sample_id = bound.sample_id
      from (select sample_id from issued union all select sample_id from fresh) as bound
     where orders.user_id = ${row.user_id} and orders.id = ${row.id}
    returning orders.id`.execute(ctx.db);
  if (rows.length === 0) throw alreadyRegistered();
  return { ...order, row: { ...row, sample_id: sampleId } };
}

/**
 * Binds a sample id that the laboratory assigned to an order that we are about to create. We refuse every id of the
 * form that we issue ourselves, even if no order has it. Otherwise a team could take an id before we issue it to an
 * order.
 */
export async function takeSample(ctx: TxCtx<TeamCtx>, sampleId: string, orderId: string): Promise<void> {
  if (NUMBERED_SAMPLE_ID.test(sampleId)) throw alreadyRegistered();
  const { rows } = await sql`
    insert into sample_ids (sample_id, team_id, order_id) values (${sampleId}, ${ctx.team.id}, ${orderId})
    on conflict do nothing returning sample_id`.execute(ctx.db);
  if (rows.length === 0) throw alreadyRegistered();
}

/**
 * Returns whether a kit can be registered only after somebody has issued its sample id to the team. In a sandbox, a
 * customer may register a kit from a shop, and we do not know the ids of such kits. So a sandbox also accepts ids that
 * nobody has issued, unless they have the form of the ids that a simulated laboratory or this deployment issues.
 */
const mustBeIssued = ({ config }: TeamCtx, sampleId: string): boolean =>
  config.environment !== 'sandbox' || SIMULATED_SAMPLE_ID.test(sampleId) || NUMBERED_SAMPLE_ID.test(sampleId);

/**
 * Throws an error if a sample id cannot belong to an order of this team, before we write anything for the order. We
 * cannot read rows of other teams. So we try to insert the id, and if the insert fails, another team has the id. The
 * error rolls the insert back.
 */
export async function refuseUnknownSample(ctx: TxCtx<TeamCtx>, sampleId: string, userKnown: boolean): Promise<void> {
  if (userKnown && !mustBeIssued(ctx, sampleId)) return;
  const { rows } = await sql`
    insert into sample_ids (sample_id, team_id) values (${sampleId}, ${ctx.team.id})
    on conflict do nothing returning sample_id`.execute(ctx.db);
  throw rows.length === 0 ? alreadyRegistered() : sampleNotFound(mustBeIssued(ctx, sampleId));
}

/**
 * Stores the sample ids of kits that a laboratory gave to the team before there were orders for them. The team can then
 * register these kits.
 */
export async function issueSampleIds(ctx: TeamCtx, sampleIds: string[]): Promise<void> {
  await sql`
    insert into sample_ids (sample_id, team_id)
    select sample_id, ${ctx.team.id} from unnest(${sampleIds.map(canonicalSampleId)}::text[]) as issued (sample_id)
    on conflict do nothing`.execute(ctx.db);
}

/** Counts the sample ids that were issued to the team and that no order has. */
export async function countUnboundSamples({ db, team }: TeamCtx): Promise<number> {
  const { rows } = await sql<{ ids: number }>`
    select count(*)::integer as ids from sample_ids where team_id = ${team.id} and order_id is null`.execute(db);
  return (rows[0] as { ids: number }).ids;
}

/**
 * Returns the error for a sample id that nobody knows. Usually its text suggests to send a user_id. If the id must have
 * been issued, a request with a user_id would fail too, so the text does not suggest that.
 */
const sampleNotFound = (isToBeIssued: boolean): AppError =>
  new AppError(
    'sample_not_found',
    isToBeIssued
      ? 'No kit with this sample_id was issued to this team. Check the id.'
      : 'No kit with this sample_id is known. Check the id, or name the user who has the kit in user_id.',
  );

export const alreadyRegistered = (): AppError =>
  new AppError(
    'sample_already_registered',
    'This sample_id is registered to another order. Each kit can be registered once.',
  );
