import { sql } from 'kysely';
import type { Static } from 'typebox';
import type { TeamCtx, TxCtx } from '../../../context.ts';
import { AppError, notFound } from '../../../errors.ts';
import { decodeCursor, isId, takePage } from '../../../db/cursor.ts';
import { listedPatientOf } from '../../orders/listed-patient.ts';
import { openReport } from '../sealed.ts';
import { criticalMarkersOf, type CriticalMarker } from './markers.ts';
import type { CriticalResultEntry, CriticalResultPage, CriticalResultQuery } from './schemas.ts';

type Entry = Static<typeof CriticalResultEntry>;
type Scope = TeamCtx | TxCtx<TeamCtx>;
type Row = Awaited<ReturnType<ReturnType<typeof criticalResultsOf>['execute']>>[number];

/** What is stored of an acknowledgement and of a sign-off, sealed. Their times are columns of their own. */
export type Acknowledgement = Omit<NonNullable<Entry['acknowledgement']>, 'acknowledged_at'>;
export type SignOff = Omit<NonNullable<Entry['sign_off']>, 'signed_off_at'>;

/** Lists the critical results of the caller's team, without those of users who are scheduled for deletion. */
export async function listCritical(
  ctx: TeamCtx,
  filters: Static<typeof CriticalResultQuery>,
): Promise<Static<typeof CriticalResultPage>> {
  const { status, user_id, order_id, order_direction, limit, next_cursor } = filters;
  const after = next_cursor === undefined ? null : decodeCursor(next_cursor, isId);
  const rows = await criticalResultsOf(ctx)
    .where('users.deleted_at', 'is', null)
    .$if(status !== undefined, (query) => query.where(sql<boolean>`critical_results.status = any(${status}::text[])`))
    .$if(user_id !== undefined, (query) => query.where('critical_results.user_id', '=', user_id as string))
    .$if(order_id !== undefined, (query) => query.where('critical_results.order_id', '=', order_id as string))
    .$if(after !== null, (query) =>
      query.where('critical_results.id', order_direction === 'asc' ? '>' : '<', after as string),
    )
    .orderBy('critical_results.id', order_direction)
    .limit(limit + 1)
    .execute();
  const { page, ...rest } = takePage(rows, limit, ({ id }) => id);
  return { data: await toEntries(ctx, page), ...rest };
}

/** Reads one critical result of the caller's team. Throws not_found, and user_scheduled_for_deletion. */
export async function findCritical(ctx: Scope, id: string): Promise<Entry> {
  const row = await criticalResultsOf(ctx).where('critical_results.id', '=', id).executeTakeFirst();
  if (!row) throw notFound('Critical result');
  if (row.user_deleted_at !== null)
    throw new AppError('user_scheduled_for_deletion', 'The user of this critical result is scheduled for deletion.');
  const [entry] = await toEntries(ctx, [row]);
  return entry as Entry;
}

const criticalResultsOf = ({ db, team }: Scope) =>
  (db as TeamCtx['db'])
    .selectFrom('critical_results')
    .innerJoin('orders', (join) =>
      join
        .onRef('orders.user_id', '=', 'critical_results.user_id')
        .onRef('orders.id', '=', 'critical_results.order_id'),
    )
    .innerJoin('lab_tests', 'lab_tests.id', 'orders.lab_test_id')
    .innerJoin('users', 'users.id', 'critical_results.user_id')
    .selectAll('critical_results')
    .select(['orders.last_status', 'orders.sample_id', 'orders.personal', 'orders.patient_details'])
    .select(['lab_tests.name as lab_test_name', 'users.client_user_id', 'users.deleted_at as user_deleted_at'])
    .where('critical_results.team_id', '=', team.id);

async function toEntries(ctx: Scope, rows: Row[]): Promise<Entry[]> {
  return Promise.all(
    rows.map(async (row) => {
      const rowKey = { team_id: row.team_id, id: row.id };
      const open = <T>(column: 'acknowledgement' | 'sign_off'): T | null =>
        row[column] && ctx.cipher.openJson<T>(`critical_results.${column}`, rowKey, row[column]);
      const [acknowledgement, signOff] = [open<Acknowledgement>('acknowledgement'), open<SignOff>('sign_off')];
      return {
        id: row.id,
        user_id: row.user_id,
        client_user_id: row.client_user_id,
        order_id: row.order_id,
        order: {
          last_status: row.last_status,
          sample_id: row.sample_id,
          lab_test_name: row.lab_test_name,
          patient: listedPatientOf(ctx as TeamCtx, { ...row, id: row.order_id }),
        },
        interpretation: 'critical',
        result_status: row.result_status as Entry['result_status'],
        belongs_to_ended_order: row.version === null,
        markers: row.markers
          ? ctx.cipher.openJson<CriticalMarker[]>('critical_results.markers', rowKey, row.markers)
          : await markersOfVersion(ctx, row),
        received_at: row.created_at,
        status: row.status as Entry['status'],
        acknowledgement: acknowledgement && { ...acknowledgement, acknowledged_at: row.acknowledged_at as string },
        sign_off: signOff && { ...signOff, signed_off_at: row.signed_off_at as string },
      };
    }),
  );
}

/** Reads the critical values of an entry that a migration made. They are in the version of the order's report. */
async function markersOfVersion({ db, cipher, team }: Scope, row: Row): Promise<CriticalMarker[]> {
  const report = await (db as TeamCtx['db'])
    .selectFrom('lab_results')
    .select(['team_id', 'order_id', 'version', 'metadata', 'results', 'missing_results', 'sample_information'])
    .where('user_id', '=', row.user_id)
    .where('order_id', '=', row.order_id)
    .where('version', '=', row.version)
    .where('team_id', '=', team.id)
    .executeTakeFirst();
  return report ? criticalMarkersOf(openReport({ cipher } as TeamCtx, report).results) : [];
}
