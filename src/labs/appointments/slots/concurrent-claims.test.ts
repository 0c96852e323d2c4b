// Two orders claim the same appointment slot at the same moment.
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '../../../../test/test-app.ts';
import { askPhlebotomy, bookedOrder, orderBy, slotsOf } from '../../../../test/collected-orders.ts';
import { untilBlocked } from '../../../../test/until-blocked.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

type Answer = { status: string; code: string; start_at: string };
const keys = async (): Promise<string[]> =>
  slotsOf(await askPhlebotomy(app.team)).map(({ booking_key }) => booking_key);
const send = (method: string, id: string, action: string, booking_key?: string) =>
  app.api<Answer>(method, `/v3/order/${id}/phlebotomy/appointment/${action}`, { booking_key });

function gate(): { open: () => void; opened: Promise<void> } {
  let open = (): void => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open: () => open(), opened };
}

/** Claims an appointment slot for an order. Runs `work` while the transaction of this claim is still open. */
async function whileClaimIsOpen(
  id: string,
  slot: { start_at: string },
  outcome: 'commit' | 'rollback',
  work: () => Promise<{ status: number; body: Answer }>,
): Promise<{ status: number; body: Answer }> {
  const [released, claimed] = [gate(), gate()];
  const first = app.db
    .transaction()
    .execute(async (db) => {
      await sql`
        insert into appointment_slots (team_id, site_hash, start_at, user_id, order_id, appointment_id)
        select s.team_id, s.site_hash, ${slot.start_at}, s.user_id, s.order_id, s.appointment_id
          from appointment_slots s where s.order_id = ${id}`.execute(db);
      claimed.open();
      await released.opened;
      if (outcome === 'rollback') throw new Error('rolled back');
    })
    .catch((error: unknown) => {
      if ((error as Error).message !== 'rolled back') throw error;
    });
  await claimed.opened;
  const second = work();
  await untilBlocked(app.db);
  released.open();
  await first;
  return second;
}

test('a second booking waits for the first claim of the slot, and is refused when the claim commits', async () => {
  const holder = await bookedOrder(app.team, 'phlebotomy');
  const id = await orderBy(app.team, 'at_home_phlebotomy');
  const [offered] = slotsOf(await askPhlebotomy(app.team));
  const answer = await whileClaimIsOpen(holder, { start_at: offered?.start as string }, 'commit', () =>
    send('POST', id, 'book', offered?.booking_key),
  );
  expect([answer.status, answer.body.code]).toEqual([400, 'slot_taken']);
  expect((await app.api('GET', `/v3/order/${id}/phlebotomy/appointment`)).status).toBe(404);
});

test('a second booking gets the slot when the first claim is rolled back', async () => {
  const holder = await bookedOrder(app.team, 'phlebotomy');
  const id = await orderBy(app.team, 'at_home_phlebotomy');
  const [offered] = slotsOf(await askPhlebotomy(app.team));
  const answer = await whileClaimIsOpen(holder, { start_at: offered?.start as string }, 'rollback', () =>
    send('POST', id, 'book', offered?.booking_key),
  );
  expect([answer.status, answer.body.start_at]).toEqual([200, offered?.start]);
});

test('of many bookings of one slot at once, one succeeds', async () => {
  const orders = await Promise.all(Array.from({ length: 6 }, () => orderBy(app.team, 'at_home_phlebotomy')));
  const [key] = await keys();
  const answers = await Promise.all(orders.map((id) => send('POST', id, 'book', key)));
  expect(answers.map(({ status, body }) => (status === 200 ? 'booked' : body.code)).toSorted()).toEqual([
    'booked',
    ...Array.from({ length: 5 }, () => 'slot_taken'),
  ]);
});

test('two appointments that swap their slots are both refused, and neither waits for ever', async () => {
  const [first, second] = await keys();
  const [one, two] = [await orderBy(app.team, 'at_home_phlebotomy'), await orderBy(app.team, 'at_home_phlebotomy')];
  await send('POST', one, 'book', first);
  await send('POST', two, 'book', second);
  const answers = await Promise.all([
    send('PATCH', one, 'reschedule', second),
    send('PATCH', two, 'reschedule', first),
  ]);
  expect(answers.map(({ body }) => body.code)).toEqual(['slot_taken', 'slot_taken']);
});
