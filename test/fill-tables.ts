import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { eraseUsers } from './erase-due-users.ts';
import { storeMessage } from '../src/labs/laboratories/hl7/inbox/store-message.ts';
import type { Team, TestApp } from './test-app.ts';
import { createSignInLink } from '../src/tenancy/sessions/create-sign-in-link.ts';
import { operatorOf } from '../src/tenancy/sessions/person.ts';
import { addPhysician } from '../src/tenancy/teams/physicians.ts';
import {
  addAccount,
  healthInsurance,
  hookOfCarrier,
  hookOfOura,
  makeUser,
  orderKit,
  physician,
  pushEverySummary,
  readOrder,
  registeredKit,
  loseResults,
  simulate,
  subscribe,
  useLink,
  webhookPath,
} from './factories.ts';
import { bookedOrder } from './collected-orders.ts';
import { createQuery, runPendingQueries } from './continuous.ts';
import { upload } from './exports.ts';
import { query } from './global-setup.ts';
import { pngHead } from './images.ts';
import { invite, letIn, makeMember } from './people-of-orgs.ts';
import { plantDocument } from './lab-reports.ts';
import { ehrPath, ehrPipeline, etlPath, etlPipeline } from './pipelines.ts';
import { signIn } from './signed-in.ts';
import { sendReport } from './sent-reports.ts';
import { homeAddress, person } from './people.ts';
import { startEndpoint } from './endpoint.ts';

/** Inserts at least one row into every table that the service writes, for `team`. */
export async function fill(app: TestApp, team: Team): Promise<void> {
  const endpoint = await startEndpoint();
  const webhook = await subscribe(team, endpoint);
  await team.api('PUT', `${webhookPath(team)}/${webhook}/headers`, { headers: { 'x-clinic': 'Desert Health' } });
  await team.api('PATCH', `${webhookPath(team)}/${webhook}`, { url: `${endpoint.url}/moved` });
  await team.api('POST', `${webhookPath(team)}/${webhook}/replay`, { since: new Date().toISOString() });
  await team.api('POST', ehrPath(team), ehrPipeline([team.id]));
  await team.api('POST', etlPath(team), etlPipeline([team.id]));
  const gone = await makeUser(team);
  await team.api('DELETE', `/v2/user/${gone.user_id}`);
  await sql`update users set deleted_at = now() - interval '8 days' where deleted_at is not null`.execute(app.db);
  await eraseUsers(app.ctx);
  const { user_id } = await makeUser(team);
  await team.api('PATCH', `/v2/user/${user_id}/info`, person);
  await useLink(team, user_id);
  await hookOfOura(team, 'secret-of-nobody', { data_type: 'workout', object_id: 'workout-1' });
  await team.api('POST', `/v2/user/${user_id}/sign_in_token`);
  await team.api('POST', '/v1/sign_in/link', { email: 'nobody@example.com' });
  await team.api('POST', `/v1/org/${team.org_id}/team/${team.id}/create_api_access_token`, { env: 'sandbox' });
  const payor = await team.api<{ payor_code: string }>('POST', '/v3/payor', {
    name: 'Saguaro Mutual',
    address: homeAddress,
    provider: 'stedi',
    provider_payor_id: 'SAG-1',
  });
  await team.api(
    'POST',
    `/v2/user/${user_id}/insurance`,
    {
      payor_code: payor.body.payor_code,
      member_id: 'XYZ123456789',
      relationship: 'Self',
      insured: person,
    },
    { headers: { 'x-idempotency-key': randomUUID() } },
  );
  await team.api('POST', `/v2/timeseries/${user_id}/samples`, [
    {
      resource: 'note',
      provider: 'manual',
      start: '2026-01-05T07:00:00Z',
      end: '2026-01-05T07:00:00Z',
      unit: 'text',
      value: 'Two eggs',
      record_id: randomUUID(),
    },
  ]);
  await addAccount(app, team);
  const ended = await team.api<{ id: string }>('POST', `/v1/org/${team.org_id}/team`, { name: 'Ended', region: 'us' });
  await team.api('DELETE', `/v1/org/${team.org_id}/team/${ended.body.id}`);
  await addPhysician(app.ctx, team.id, physician);
  await team.api('POST', `/v1/org/${team.org_id}/domain`, { domain: `d${randomUUID().slice(0, 8)}.example.com` });
  await letIn(team, `Grace Palmer ${randomUUID()}`);
  await invite(team, `invited-${randomUUID()}@example.com`);
  await makeMember(app, team, { name: 'Grace Palmer', email: `member-${randomUUID()}@example.com` });
  await signIn(app, operatorOf(team.org_id));
  await createSignInLink(app.ctx, operatorOf(team.org_id), 60);
  await pushEverySummary(team, user_id);
  await upload(team, user_id, '<gpx/>');
  await sendReport(team, user_id, [pngHead(5, 5)]);
  await createQuery(team, { query: { select: [{ func: 'count', arg: { activity: 'steps' } }] } });
  await runPendingQueries(app);
  await team.api('PATCH', '/v2/team/source/priorities', [{ data_type: 'sleep', providers: ['oura'] }]);
  await team.api('POST', '/v2/link/connect/demo', { user_id, provider: 'oura' });
  const done = await registeredKit(team, { health_insurance: healthInsurance });
  await simulate(team, done.id);
  await plantDocument(app, done, `Palmer ${randomUUID()}`);
  const lost = await loseResults(team);
  await team.api('POST', `/v3/unmatched_result/${lost.unmatched_id}/resolve`, { action: 'unsure', note: 'Whose?' });
  await app.deliver();
  endpoint.answer((response) => response.writeHead(500).end());
  await orderKit(team, user_id);
  await app.deliver();
  await endpoint.close();
  const leaving = await makeUser(team);
  await orderKit(team, leaving.user_id);
  await team.api('DELETE', `/v2/user/${leaving.user_id}`);
  await app.deliver();
  // Skips their events, like a worker that waits.
  await team.api('GET', '/v2/events?wait=1');
  const critical = await registeredKit(team);
  await simulate(team, critical.id, '', { interpretation: 'critical' });
  const { body: criticals } = await team.api<{ data: { id: string }[] }>('GET', '/v3/critical_result');
  const decisions = `/v3/critical_result/${criticals.data[0]?.id}`;
  await team.api('POST', `${decisions}/acknowledge`, { acknowledged_by: 'Ana Ruiz', called_person: 'Bo Chen' });
  await team.api('POST', `${decisions}/sign_off`, { signed_off_by: 'Ana Ruiz' });
  await bookedOrder(team, 'psc', { userId: user_id });
  const cancelled = await bookedOrder(team, 'phlebotomy', { userId: user_id });
  await team.api('PATCH', `/v3/order/${cancelled}/phlebotomy/appointment/cancel`, {
    cancellation_reason_id: '0b7f6a52-3c1d-4e8a-9f20-000000000199',
    notes: 'They are away',
  });
  const slow = await orderKit(team, user_id);
  // Rows of an appointment whose scheduler did not answer yet.
  const callId = randomUUID();
  const booked = await app.db
    .selectFrom('appointments')
    .select(['user_id', 'order_id', 'id', 'provider'])
    .where('order_id', '=', cancelled)
    .executeTakeFirstOrThrow();
  const { id: appointment_id, ...ofAppointment } = booked;
  const content = { slot: null, notes: 'They are away', reason: null };
  await app.db
    .insertInto('scheduler_calls')
    .values({
      ...ofAppointment,
      id: callId,
      team_id: team.id,
      appointment_id,
      kind: 'cancel',
      by_hand: true,
      content: app.ctx.cipher.sealJson('scheduler_calls.content', { team_id: team.id, id: callId }, content),
    })
    .execute();
  await team.api('POST', `/v3/order/${slow.id}/note`, { text: 'They are away', author: 'Ana Ruiz' });
  await simulate(team, slow.id, '?delay=3600');
  await team.api('POST', '/v3/order/resend_events', { order_ids: [slow.id] });
  await team.api('PATCH', `/v3/order/${slow.id}/communication_settings`, { sms_enabled: false });
  const { details } = await readOrder(team, done.id);
  const tracking_code = details.data.shipment?.['outbound_tracking_number'];
  await hookOfCarrier(team, { tracking_code, status: 'in_transit', updated_at: new Date().toISOString() });
  // Rows of a provider that needs a subscription for each user. Tests of everything configure none.
  await query(
    app.databaseUrl,
    `insert into user_subscriptions (user_id, provider, team_id) values ('${user_id}', 'oura', '${team.id}')`,
  );
  const outboxId = randomUUID();
  // Rows of a laboratory that is connected by messages, and of a signature whose position only a requisition reads.
  await query(
    app.databaseUrl,
    `insert into laboratory_outbox (user_id, id, order_id, team_id, lab_id, action)
     values ('${user_id}', '${outboxId}', '${slow.id}', '${team.id}', 1, 'new');
     insert into order_numbers (user_id, order_id, team_id, lab_id, number, account_number)
     values ('${user_id}', '${slow.id}', '${team.id}', 1, 'P${slow.id}', 'ACC-1');
     insert into patient_numbers (user_id, team_id, number) values ('${user_id}', '${team.id}', 'U${slow.id}');
     insert into laboratory_numbers (user_id, order_id, team_id, lab_id, kind, number)
     values ('${user_id}', '${slow.id}', '${team.id}', 1, 'accession', 'A${slow.id}');
     insert into order_signatures (user_id, order_id, team_id, content) values ('${user_id}', '${slow.id}',
       '${team.id}', '')`,
  );
  const message = `PID|||||Palmer^Grace|${randomUUID()}`;
  await app.db
    .insertInto('hl7_outgoing')
    .values({
      user_id,
      id: outboxId,
      team_id: team.id,
      control_id: 'C1',
      message: app.ctx.cipher.sealText('hl7_outgoing.message', { team_id: team.id, id: outboxId }, message),
    })
    .execute();
  const { id: messageId } = await storeMessage(app.ctx, { labId: 1, bytes: Buffer.from(message), header: null });
  await query(
    app.databaseUrl,
    `update hl7_messages set state = 'applied', team_id = '${team.id}', user_id = '${user_id}', order_id = '${slow.id}'
      where id = '${messageId}'`,
  );
  // Rows of an ended connection to a provider whose data must be deleted.
  await query(
    app.databaseUrl,
    `insert into ended_agreements values ('${user_id}', 'strava', '${team.id}', now() + interval '9 days')`,
  );
  // Rows of an export whose process was killed.
  await query(
    app.databaseUrl,
    `insert into team_exports values ('${team.id}', '${randomUUID()}', now() - interval '1 hour')`,
  );
  // Rows of a demo clinic that was loaded, as the job of a new one would fill the team with people.
  await query(app.databaseUrl, `insert into demo_clinics (team_id, state) values ('${team.id}', 'loaded')`);
  // Rows of a provider that answered the team with too many requests.
  await query(app.databaseUrl, `insert into scope_requirements values ('${team.id}', 'oura', '{daily}', '{}')`);
  await query(
    app.databaseUrl,
    `insert into team_credentials (team_id, id, org_id, provider, client_id) values ('${team.id}', ` +
      `gen_random_uuid(), '${team.org_id}', 'labcorp', 'clinic')`,
  );
  await query(
    app.databaseUrl,
    `insert into data_pull_preferences (team_id, provider, org_id, default_days) values ('${team.id}', ` +
      `'oura', '${team.org_id}', 30)`,
  );
  await query(app.databaseUrl, `insert into queue_last_served values ('imports', '${team.id}', now())`);
  await query(app.databaseUrl, `insert into team_provider_waits values ('${team.id}', 'strava', now(), now())`);
  // Rows of a worker that was killed.
  await query(app.databaseUrl, 'insert into delivery_workers (id) values (gen_random_uuid())');
  // A past day, for which a new database has no partition.
  await query(
    app.databaseUrl,
    `
    select ensure_partitions('2025-01-02', '2025-01-02');
    insert into events (team_id, id, event_type, body) values ('${team.id}', uuid_v7_floor('2025-01-02'), 'test',
      '{}')`,
  );
}
