// Makes many orders at once, as the service stores them: each has its own user, and its personal data is sealed
// (encrypted) and bound to its id.
import type pg from 'pg';
import type { TeamCtx } from '../src/context.ts';
import { newId } from '../src/ids.ts';
import { NOTHING_PERSONAL, sealOrder } from '../src/labs/orders/sealed.ts';
import { shipping } from './order-traffic.ts';

const AT_ONCE = 5_000;
const PATIENT = {
  first_name: 'Grace',
  last_name: 'Palmer',
  dob: '1988-04-12',
  gender: 'female',
  phone_number: '+16025550123',
  email: 'grace@example.com',
  medical_proxy: null,
  race: null,
  ethnicity: null,
  sexual_orientation: null,
  gender_identity: null,
};
const ADDRESS = { ...shipping, second_line: '', country: 'United States', access_notes: null };
const PERSONAL = {
  ...NOTHING_PERSONAL,
  patient_details: PATIENT,
  patient_address: ADDRESS,
  shipping_details: ADDRESS,
};
const EVENTS = ['ordered', 'requisition_created'];

/** Adds orders to a team. One in a hundred is lost, and one in a hundred is critical. Triggers count them. */
export async function fillOrders(client: pg.Client, ctx: TeamCtx, labTestId: string, many: number): Promise<void> {
  for (let from = 0; from < many; from += AT_ONCE) {
    const rows = Array.from({ length: Math.min(AT_ONCE, many - from) }, (_, n) => {
      const id = newId();
      const { personal } = sealOrder(ctx, { ...PERSONAL, team_id: ctx.team.id, id });
      return { id, user: newId(), personal, lost: n % 100 === 0, critical: n % 100 === 50 };
    });
    await client.query(
      `with given as (
         select * from unnest($2::uuid[], $3::uuid[], $4::bytea[], $5::text[], $6::text[])
           as g (id, user_id, personal, status, interpretation)
       ), people as (
         insert into users (id, team_id, client_user_id) select user_id, $1, user_id::text from given
       ), begun as (
         insert into order_transactions (user_id, id, team_id) select user_id, id, $1 from given
       )
       insert into orders (user_id, id, team_id, order_transaction_id, origin, lab_test_id, details_id, method,
         personal, last_status, last_low_level_status, last_event_id, interpretation)
       select user_id, id, $1, id, 'initial', $7::uuid, id, 'testkit', personal, 'received.testkit.' || status, status,
         ${EVENTS.length}, interpretation from given`,
      [
        ctx.team.id,
        rows.map(({ id }) => id),
        rows.map(({ user }) => user),
        rows.map(({ personal }) => personal),
        rows.map(({ lost }) => (lost ? 'lost' : 'requisition_created')),
        rows.map(({ critical }) => (critical ? 'critical' : null)),
        labTestId,
      ],
    );
    await client.query(
      `insert into order_events (user_id, order_id, team_id, id, status)
       select user_id, id, $1, position, 'received.testkit.' || event
         from unnest($2::uuid[], $3::uuid[]) as made (id, user_id), unnest($4::text[]) with ordinality as e (event,
           position)
        order by id, position`,
      [ctx.team.id, rows.map(({ id }) => id), rows.map(({ user }) => user), EVENTS],
    );
  }
}
