import { sql, type Selectable } from 'kysely';
import type { Static } from 'typebox';
import type { TeamCtx } from '../../../context.ts';
import { decodeCursor, takePage } from '../../../db/cursor.ts';
import type { AppointmentEvents, Appointments, Orders } from '../../../db/tables.ts';
import { listedPatientOf } from '../../orders/listed-patient.ts';
import { shownWidely } from '../../orders/render.ts';
import { renderAppointment } from '../render.ts';
import { openAppointment } from '../sealed.ts';
import { isAppointmentKey, type AppointmentListQuery, type AppointmentPage } from './schemas.ts';

type OfOrder = Pick<Selectable<Orders>, 'order_transaction_id' | 'personal' | 'patient_details'> & {
  lab_test_name: string;
  client_user_id: string;
};
type Row = Selectable<Appointments> & OfOrder & { micros: number };
type Event = Pick<Selectable<AppointmentEvents>, 'id' | 'status' | 'data' | 'created_at' | 'appointment_id'>;

/**
 * Lists the appointments of the caller's team that begin on the given days, the earliest first. An appointment without
 * a time is in no day. Appointments of users who are scheduled for deletion are left out.
 */
export async function listAppointments(
  ctx: TeamCtx,
  { date, start_date, end_date, time_zone, status, type, limit, next_cursor }: Static<typeof AppointmentListQuery>,
): Promise<Static<typeof AppointmentPage>> {
  const after = next_cursor === undefined ? null : decodeCursor(next_cursor, isAppointmentKey);
  const [first, last] = [date ?? start_date ?? null, date ?? end_date ?? null];
  const today = sql`(now() at time zone ${time_zone}::text)::date`;
  const { rows } = await sql<Row>`
    select appointments.*, orders.order_transaction_id, orders.personal, orders.patient_details,
           lab_tests.name as lab_test_name, users.client_user_id,
           (extract(epoch from appointments.start_at) * 1000000)::bigint as micros
      from appointments
      join orders on orders.user_id = appointments.user_id and orders.id = appointments.order_id
      join lab_tests on lab_tests.id = orders.lab_test_id
      join users on users.id = appointments.user_id and users.deleted_at is null
     where appointments.team_id = ${ctx.team.id}
       and appointments.start_at >= coalesce(${first}::date, ${today})::timestamp at time zone ${time_zone}::text
       and appointments.start_at < (coalesce(${last}::date, ${today}) + 1)::timestamp at time zone ${time_zone}::text
       and (${status ?? null}::text[] is null or appointments.status = any (${status ?? null}::text[]))
       and (${type ?? null}::text[] is null or appointments.type = any (${type ?? null}::text[]))
       and (${after?.[2] ?? null}::uuid is null or (appointments.start_at, appointments.id) >
            (timestamptz 'epoch' + ${after?.[1] ?? 0}::bigint * interval '1 microsecond', ${after?.[2] ?? null}::uuid))
     order by appointments.start_at, appointments.id limit ${limit + 1}`.execute(ctx.db);
  const { page, ...rest } = takePage(rows, limit, ({ micros, id }) => ['start_at', micros, id]);
  const events = await eventsOf(ctx, page);
  const shown = shownWidely(ctx);
  const data = page.map(({ micros: _, ...row }) => {
    const { order_transaction_id, personal, patient_details, lab_test_name, client_user_id, ...stored } = row;
    const own = events.filter(({ appointment_id }) => appointment_id === stored.id);
    const order = { id: stored.order_id, team_id: stored.team_id, personal, patient_details };
    return {
      ...renderAppointment(openAppointment(ctx, stored, own), { order_transaction_id }, shown),
      client_user_id,
      order: { lab_test_name, patient: listedPatientOf(ctx, order) },
    };
  });
  return { data, ...rest };
}

async function eventsOf({ db, team }: TeamCtx, page: Row[]): Promise<Event[]> {
  if (page.length === 0) return [];
  return db
    .selectFrom('appointment_events')
    .select(['id', 'status', 'data', 'created_at', 'appointment_id'])
    .where('team_id', '=', team.id)
    .where(
      sql<boolean>`(user_id, order_id, appointment_id) in (
      select * from unnest(${page.map(({ user_id }) => user_id)}::uuid[],
        ${page.map(({ order_id }) => order_id)}::uuid[],
        ${page.map(({ id }) => id)}::uuid[]))`,
    )
    .orderBy('id')
    .execute();
}
