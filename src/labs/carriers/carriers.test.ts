// Shapes of the events: https://docs.easypost.com/docs/trackers and https://docs.easypost.com/guides/webhooks-guide
import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { startTestApp, type Team, type TestApp } from '../../../test/test-app.ts';
import {
  hookOfCarrier,
  lowStatuses,
  makeUser,
  orderKit,
  readOrder,
  register,
  simulate,
  type OrderBody,
} from '../../../test/factories.ts';
import { teamCtx } from '../../../test/team-ctx.ts';
import { acrossTeams } from '../../db/session/bind.ts';
import { inTransaction } from '../../db/transaction.ts';
import { eraseUsers } from '../../../test/erase-due-users.ts';
import { lockOrder } from '../orders/load-order.ts';
import { storeShipment, type ShipmentUpdate } from '../orders/testkit/store-shipment.ts';
import { dropExpired } from './erase.ts';

let app: TestApp;
let team: Team;
let parcels = 0;
beforeAll(async () => {
  app = await startTestApp({ PHIAL_CARRIER_WEBHOOK_SECRETS: 'secret-of-carriers, sécret-två ' });
});
afterAll(() => app.close());
beforeEach(async () => {
  team = await app.makeTeam();
});

const newNumber = (): string => `94001112${String((parcels += 1)).padStart(14, '0')}`;
/** Returns the time that is this many hours from now. */
const at = (hours: number): string => new Date(Date.now() + hours * 3_600_000).toISOString();

/** Stores a shipment as a laboratory reports it. */
const reportShipment = async (order: OrderBody, update: ShipmentUpdate, by = team): Promise<void> => {
  await inTransaction(await teamCtx(app.ctx, by.id), async (tx) =>
    storeShipment(tx, await lockOrder(tx, order.id), update),
  );
};
const parcel = async (by = team): Promise<{ order: OrderBody; number: string }> => {
  const [order, number] = [await orderKit(by), newNumber()];
  await reportShipment(order, { outbound_tracking_number: number, outbound_courier: 'usps' }, by);
  return { order, number };
};
/** Returns the order of a registered kit that is with its user, and the tracking number of its return parcel. */
const parcelBack = async (): Promise<{ order: OrderBody; number: string }> => {
  const [order, number] = [await orderKit(team), newNumber()];
  await simulate(team, order.id);
  await register(team, { sample_id: (await readOrder(team, order.id)).sample_id });
  await reportShipment(order, { inbound_tracking_number: number, inbound_courier: 'FedEx' });
  return { order, number };
};

type Scan = [status: string, detail: string, hours: number];
/** Sends an EasyPost event about a parcel. The newest scan of the parcel is this scan. */
const scan = async (number: string, [status, status_detail, hours]: Scan, more: Record<string, unknown> = {}) => {
  const answer = await hookOfCarrier(team, {
    tracking_code: number,
    status,
    status_detail,
    updated_at: at(hours),
    ...more,
  });
  await app.runJobs();
  return answer;
};
const statusOf = async (order: OrderBody): Promise<string | undefined> =>
  lowStatuses(await readOrder(team, order.id)).at(-1);
const countScans = async (): Promise<number> => (await sql`select from carrier_scans`.execute(app.db)).rows.length;

describe('a scan of a parcel on its way to the customer', () => {
  test.each<[string, string, string[]]>([
    ['pre_transit', 'label_created', []],
    ['cancelled', 'cancelled', []],
    ['unknown', 'unknown', []],
    ['error', 'error', []],
    ['available_for_pickup', 'arrived_at_pickup_location', []],
    ['in_transit', 'received_at_origin_facility', ['transit_customer']],
    ['out_for_delivery', 'out_for_delivery', ['transit_customer', 'out_for_delivery']],
    ['delivered', 'arrived_at_destination', ['transit_customer', 'out_for_delivery', 'with_customer']],
    ...['delivery_exception', 'held', 'delayed', 'weather_delay', 'missorted', 'transit_exception'].map(
      (detail): [string, string, string[]] => [
        'in_transit',
        detail,
        ['transit_customer', 'problem_in_transit_customer'],
      ],
    ),
    ...(
      [
        ['return_to_sender', 'return'],
        ['in_transit', 'refused'],
        ['failure', 'failure'],
        ['failure', 'address_correction'],
      ] as const
    ).map(([status, detail]): [string, string, string[]] => [
      status,
      detail,
      ['transit_customer', 'problem_in_transit_customer', 'failure_to_deliver_to_customer'],
    ]),
  ])('%s (%s) adds the statuses of the table', async (status, detail, expected) => {
    const { order, number } = await parcel();
    await scan(number, [status, detail, 0]);
    expect(lowStatuses(await readOrder(team, order.id))).toEqual(['ordered', 'awaiting_registration', ...expected]);
  });

  test.each(['lost', 'expired'])('with the detail %s ends the order', async (detail) => {
    const { order, number } = await parcel();
    await scan(number, ['in_transit', 'in_transit', -2]);
    await scan(number, ['failure', detail, -1]);
    expect(await statusOf(order)).toBe('lost');
  });

  test('publishes an event of the new status', async () => {
    const { order, number } = await parcel();
    await scan(number, ['in_transit', 'in_transit', 0]);
    const { rows } = await sql`select from events where team_id = ${team.id}
      and event_type = 'labtest.order.updated'`.execute(app.db);
    expect(rows).toHaveLength(2);
    expect((await readOrder(team, order.id)).status).toBe('collecting_sample');
  });
});

test.each<[string, string, string]>([
  ['in_transit', 'in_transit', 'transit_lab'],
  ['out_for_delivery', 'out_for_delivery', 'transit_lab'],
  ['delivered', 'arrived_at_destination', 'delivered_to_lab'],
  ['in_transit', 'delayed', 'problem_in_transit_lab'],
  ['return_to_sender', 'return', 'failure_to_deliver_to_lab'],
])('on the way to the laboratory the scan %s (%s) changes the order to %s', async (status, detail, expected) => {
  const { order, number } = await parcelBack();
  await hookOfCarrier(team, {
    tracking_code: number,
    carrier: 'FedExGround',
    status,
    status_detail: detail,
    updated_at: at(0),
  });
  await app.runJobs();
  expect(await statusOf(order)).toBe(expected);
});

describe('late, repeated and unordered scans', () => {
  test('do not move an order backwards', async () => {
    const { order, number } = await parcel();
    await scan(number, ['delivered', 'arrived_at_destination', -1]);
    const before = await readOrder(team, order.id);
    for (const late of [
      ['in_transit', 'in_transit', -5],
      ['out_for_delivery', 'out_for_delivery', -2],
      ['in_transit', 'delayed', -4],
      ['in_transit', 'in_transit', 0],
      ['return_to_sender', 'return', 0],
    ] as Scan[])
      await scan(number, late);
    expect(await readOrder(team, order.id)).toEqual(before);
  });

  test('move an order on after a problem only if the scan is newer than the problem', async () => {
    const { order, number } = await parcel();
    await scan(number, ['in_transit', 'weather_delay', -3]);
    await scan(number, ['in_transit', 'in_transit', -4]);
    expect(await statusOf(order)).toBe('problem_in_transit_customer');
    await scan(number, ['in_transit', 'departed_facility', -2]);
    expect(await statusOf(order)).toBe('transit_customer');
  });

  test('add the missed scans from the history in each event', async () => {
    const { order, number } = await parcel();
    const tracking_details = [
      { status: 'in_transit', status_detail: 'in_transit', datetime: at(-9) },
      { status: 'out_for_delivery', status_detail: 'out_for_delivery', datetime: at(-3).replace('Z', '') },
    ];
    await scan(number, ['out_for_delivery', 'out_for_delivery', 0], { tracking_details });
    expect(await statusOf(order)).toBe('out_for_delivery');
  });

  test('change nothing once the laboratory has reported the arrival', async () => {
    const { order, number } = await parcelBack();
    await simulate(team, order.id, '?final_status=sample_with_lab.testkit.lab_processing_blocked');
    const before = await readOrder(team, order.id);
    expect(before.status).toBe('sample_with_lab');
    await scan(number, ['delivered', 'arrived_at_destination', 0], { carrier: 'FedEx' });
    await scan(number, ['in_transit', 'lost', 0], { carrier: 'FedEx' });
    expect(await readOrder(team, order.id)).toEqual(before);
  });

  test('are stored once when they come several times', async () => {
    const { number } = await parcel();
    const fixed = { tracking_code: number, status: 'in_transit', status_detail: 'in_transit', updated_at: at(0) };
    const before = await countScans();
    await Promise.all(Array.from({ length: 5 }, () => hookOfCarrier(team, fixed)));
    expect(await countScans()).toBe(before + 1);
  });
});

describe('a scan of an unknown parcel', () => {
  test('is answered as any other, and moves the order once the laboratory reports the number', async () => {
    const number = newNumber();
    const answer = await scan(number, ['in_transit', 'in_transit', 0]);
    expect([answer.status, answer.body]).toEqual([200, { received: true }]);
    const order = await orderKit(team);
    await reportShipment(order, { outbound_tracking_number: ` ${number.slice(0, 4)} ${number.slice(4)}` });
    await app.runJobs();
    expect(await statusOf(order)).toBe('transit_customer');
  });

  test('of a kit that comes back unregistered moves the order after the registration', async () => {
    const [order, number] = [await orderKit(team), newNumber()];
    await simulate(team, order.id);
    await reportShipment(order, { inbound_tracking_number: number, inbound_courier: 'usps' });
    await scan(number, ['in_transit', 'in_transit', 0]);
    expect(await statusOf(order)).toBe('with_customer');
    await register(team, { sample_id: (await readOrder(team, order.id)).sample_id });
    await app.runJobs();
    expect(await statusOf(order)).toBe('transit_lab');
  });

  test('is stored for 14 days, and one of a known parcel for 60 days', async () => {
    const { number } = await parcel();
    await sql`delete from carrier_scans`.execute(app.db);
    await scan(number, ['in_transit', 'in_transit', 0]);
    await scan(newNumber(), ['in_transit', 'in_transit', 0]);
    const after = async (days: number) => {
      await sql`update carrier_scans set received_at = now() - make_interval(days => ${days})`.execute(app.db);
      await dropExpired(acrossTeams(app.ctx));
      return countScans();
    };
    expect([await after(13), await after(15), await after(59), await after(61)]).toEqual([2, 1, 1, 0]);
  });

  test('is deleted beyond the newest 20,000 of its courier, and one parcel gets no more than 300 scans', async () => {
    await sql`
      insert into carrier_scans
      select decode(md5(n::text), 'hex'), 'dhl', 'moving', now(), false, now() - interval '1 hour'
        from generate_series(1, 20_010) n`.execute(app.db);
    await scan(newNumber(), ['in_transit', 'in_transit', 0], { carrier: 'DHLExpress' });
    const { rows } = await sql`select from carrier_scans where courier = 'dhl'`.execute(app.db);
    expect(rows).toHaveLength(20_000);
    const number = newNumber();
    for (const from of [0, 1, 2]) {
      const tracking_details = Array.from({ length: 150 }, (_, minute) => ({
        status: 'in_transit',
        datetime: at(-from * 10 - minute / 60),
      }));
      await scan(number, ['in_transit', '', 0], { tracking_details, carrier: 'OnTrac' });
    }
    const ontrac = await sql`select from carrier_scans where courier = 'ontrac'`.execute(app.db);
    expect(ontrac.rows.length).toBeLessThan(301);
  });
});

describe('a tracking number that a carrier reuses', () => {
  test('moves the newest order of the team that is not back', async () => {
    const { order, number } = await parcel();
    const newer = await orderKit(team);
    await reportShipment(newer, { outbound_tracking_number: number, outbound_courier: 'usps' });
    await scan(number, ['in_transit', 'in_transit', 0.1]);
    expect([await statusOf(order), await statusOf(newer)]).toEqual(['awaiting_registration', 'transit_customer']);
  });

  test('still moves the order of a team after another team names it, for sixty days', async () => {
    const { order, number } = await parcel();
    const old = await parcel();
    await sql`
      update tracking_numbers set created_at = now() - interval '61 days' where order_id = ${old.order.id}`.execute(
      app.db,
    );
    const other = await app.makeTeam();
    const newer = await orderKit(other);
    await reportShipment(
      newer,
      { outbound_tracking_number: number, inbound_tracking_number: old.number, outbound_courier: 'usps' },
      other,
    );
    await scan(number, ['in_transit', 'in_transit', 0.1]);
    await scan(old.number, ['in_transit', 'in_transit', 0.1]);
    expect([await statusOf(order), await statusOf(old.order)]).toEqual(['transit_customer', 'awaiting_registration']);
    expect(lowStatuses(await readOrder(other, newer.id)).at(-1)).toBe('transit_customer');
    const seen = await team.api<{ code: string }>('GET', `/v3/order/${newer.id}`);
    expect([seen.status, JSON.stringify(seen.body)]).toEqual([404, expect.not.stringContaining(number)]);
  });

  test('does not move a new order by scans of its earlier parcel', async () => {
    const number = newNumber();
    await scan(number, ['delivered', 'arrived_at_destination', -24 * 30]);
    const order = await orderKit(team);
    await reportShipment(order, { outbound_tracking_number: number });
    await app.runJobs();
    expect(await statusOf(order)).toBe('awaiting_registration');
  });

  test('is another parcel with another courier', async () => {
    const { order, number } = await parcel();
    await scan(number, ['in_transit', 'in_transit', 0], { carrier: 'UPSDAP' });
    expect(await statusOf(order)).toBe('awaiting_registration');
  });
});

describe('an update of a carrier is refused', () => {
  const body = JSON.stringify({ description: 'tracker.updated', result: { tracking_code: '1', status: 'delivered' } });
  const sent = (options: Parameters<typeof hookOfCarrier>[2]) => hookOfCarrier(team, {}, { raw: body, ...options });

  test.each([
    ['without a valid signature', { signature: `hmac-sha256-hex=${'0'.repeat(64)}` }],
    ['signed with another secret', { secret: 'another' }],
    ['signed in another way', { signature: createHmac('sha256', 'secret-of-carriers').update(body).digest('hex') }],
  ])('%s', async (_, options) => {
    const { status, body: answer } = await sent(options);
    expect([status, answer.code]).toEqual([401, 'signature_refused']);
  });

  test('without any signature, before the body is read', async () => {
    const headers = { 'content-type': 'application/json' };
    const answer = await team.api<{ code: string }>('POST', '/hooks/carrier/usps', undefined, {
      raw: body,
      headers,
      key: null,
    });
    expect([answer.status, answer.body.code]).toEqual([401, 'signature_refused']);
  });

  test('when one byte of it was changed', async () => {
    const signature = `hmac-sha256-hex=${createHmac('sha256', 'secret-of-carriers').update(body).digest('hex')}`;
    const { status } = await sent({ raw: body.replace('delivered', 'failure'), signature });
    expect(status).toBe(401);
  });

  test('when it is larger than 256 KiB', async () => {
    const { status } = await sent({ raw: JSON.stringify({ pad: 'x'.repeat(300_000) }) });
    expect(status).toBe(413);
  });

  test('at the path of an unknown courier, and without a configured secret', async () => {
    expect((await sent({ carrier: 'pigeon' })).status).toBe(404);
    const silent = await startTestApp({ PHIAL_CARRIER_WEBHOOK_SECRETS: '' });
    const answer = await hookOfCarrier(silent.team, {}, { raw: body });
    await silent.close();
    expect(answer.status).toBe(404);
  });
});

test.each([
  ['with a secret in another Unicode normal form', 'se\u0301cret-tv\u00e5', (text: string) => text],
  ['with a weight that an intermediary shortened', 'secret-of-carriers', (text: string) => text.replace('5.0', '5')],
])('an update signed %s is accepted', async (_, secret, onTheWay) => {
  const { order, number } = await parcel();
  const tracker = `"object":"Tracker","carrier":"USPS","weight":5.0,"tracking_code":"${number}"`;
  const raw = `{"description":"tracker.updated","result":{${tracker},"status":"in_transit","updated_at":"${at(0)}"}}`;
  const signature = `hmac-sha256-hex=${createHmac('sha256', secret.normalize('NFKD')).update(raw).digest('hex')}`;
  const { status } = await hookOfCarrier(team, {}, { carrier: 'usps', raw: onTheWay(raw), signature });
  await app.runJobs();
  expect([status, await statusOf(order)]).toEqual([200, 'transit_customer']);
});

test.each<[string, string]>([
  ['a body that is not JSON', '{"result":'],
  ['a body that is not an event', '[1, null]'],
  ['an event without a parcel', '{"description":"batch.updated","result":{"tracking_code":"1","status":"delivered"}}'],
  ['an invalid time', '{"result":{"object":"Tracker","tracking_code":"1","status":"delivered","updated_at":"soon"}}'],
  ['very deep nesting', `{"result":${'['.repeat(5_000)}${']'.repeat(5_000)}}`],
])('%s with a valid signature is answered and stores no scan', async (_, raw) => {
  const before = await countScans();
  const { status } = await hookOfCarrier(team, {}, { raw });
  expect([status, await countScans()]).toEqual([200, before]);
});

test('the path of one courier ignores updates of other couriers', async () => {
  const before = await countScans();
  const tracker = { tracking_code: newNumber(), status: 'in_transit', updated_at: at(0) };
  expect((await hookOfCarrier(team, tracker, { carrier: 'ups' })).status).toBe(200);
  expect(await countScans()).toBe(before);
});

test('a shipment has the tracking URLs of its couriers', async () => {
  const { order, number } = await parcel();
  await reportShipment(order, { inbound_tracking_number: '1Z999AA10123456784', inbound_courier: 'UPS Ground' });
  expect((await readOrder(team, order.id)).details.data.shipment).toMatchObject({
    outbound_tracking_url: `https://tools.usps.com/go/TrackConfirmAction?tLabels=${number}`,
    inbound_tracking_url: 'https://wwwapps.ups.com/WebTracking/track?track=yes&trackNums=1Z999AA10123456784',
  });
});

test('the scans of a parcel are deleted after the erasure of its last user, and not before', async () => {
  const number = newNumber();
  const other = await app.makeTeam();
  const users = [await makeUser(team), await makeUser(other)] as const;
  for (const [n, owner] of [team, other].entries()) {
    const order = await orderKit(owner, users[n]?.user_id);
    await reportShipment(order, { outbound_tracking_number: number }, owner);
  }
  await dropExpired(acrossTeams(app.ctx));
  const before = await countScans();
  await scan(number, ['in_transit', 'in_transit', 0]);
  const erase = async (owner: Team, { user_id }: { user_id: string }) => {
    await owner.api('DELETE', `/v2/user/${user_id}`);
    await sql`update users set deleted_at = now() - interval '8 days' where id = ${user_id}`.execute(app.db);
    await eraseUsers(app.ctx);
    await dropExpired(acrossTeams(app.ctx));
    return countScans();
  };
  expect([await erase(team, users[0]), await erase(other, users[1])]).toEqual([before + 1, before]);
});

describe('anonymous callers that send bodies without an end', () => {
  const SLOW = 40;
  const sockets: Socket[] = [];
  beforeEach(async () => {
    const { hostname, port } = new URL(app.baseUrl);
    for (let each = 0; each < SLOW; each += 1) {
      const socket = connect(Number(port), hostname);
      sockets.push(socket);
      socket.on('error', () => undefined);
      socket.write(
        'POST /hooks/carrier/usps HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 100\r\n' +
          'x-hmac-signature: hmac-sha256-hex=00\r\n\r\n{',
      );
      await once(socket, 'connect');
    }
  });
  afterEach(() => {
    for (const socket of sockets.splice(0)) socket.destroy();
  });

  /** Sends a scan from this IP address. Returns the HTTP status and the milliseconds until the response. */
  async function scanFrom(localAddress: string): Promise<[status: number | undefined, ms: number]> {
    const { number } = await parcel();
    const tracker = { object: 'Tracker', carrier: 'USPS', tracking_code: number, status: 'in_transit' };
    const body = JSON.stringify({ description: 'tracker.updated', result: { ...tracker, updated_at: at(0) } });
    const signature = createHmac('sha256', 'secret-of-carriers').update(body).digest('hex');
    const from = performance.now();
    const sent = request(`${app.baseUrl}/hooks/carrier/usps`, {
      method: 'POST',
      localAddress,
      headers: { 'content-type': 'application/json', 'x-hmac-signature': `hmac-sha256-hex=${signature}` },
    });
    sent.end(body);
    const [answer] = (await once(sent, 'response')) as [IncomingMessage];
    answer.resume();
    return [answer.statusCode, performance.now() - from];
  }

  test('do not delay callers of another address', async () => {
    const [status, ms] = await scanFrom('127.0.0.2');
    expect(status).toBe(200);
    expect(ms).toBeLessThan(900);
  });

  test('lose their permits to waiting callers of their own address', async () => {
    const [status, ms] = await scanFrom('127.0.0.1');
    expect(status).toBe(200);
    expect(ms).toBeLessThan(15_000);
  });
});
