// Orders at a connected laboratory, and segments of the messages of that laboratory about them.
import { sql } from 'kysely';
import { startHl7, type Hl7 } from '../src/labs/laboratories/hl7/start-hl7.ts';
import { startTestApp, type TestApp } from './test-app.ts';
import { makeUser, patientAddress, patientDetails, physician, readOrder, type OrderBody } from './factories.ts';
import { addLabTest, byMllp, connectTestLaboratory, kitAtLaboratory } from './hl7-deployment.ts';
import { sendFrame, startHl7Laboratory, text_, type Hl7Laboratory } from './hl7-laboratory.ts';
import { publishedTo } from './publish-event.ts';

type Entry = Record<string, unknown> & { slug: string; result: string; status: string; note: string | null };
type OrderResults = {
  code?: string;
  metadata: Record<string, string | null>;
  results: (Entry & { history: Record<string, unknown>[] })[];
  missing_results: (Entry & { history: Record<string, unknown>[] })[];
};
export type AtLaboratory = { id: string; user_id: string; number: string };

export type LaboratoryOrders = {
  app: TestApp;
  laboratory: Hl7Laboratory;
  port: number;
  logged: string[];
  connect: (hl7?: Record<string, unknown>, markers?: Record<string, unknown>[]) => Promise<void>;
  /** Places an order of the markers with these codes, which the laboratory accepts. */
  walkIn: (codes: string[], changes?: Record<string, unknown>) => Promise<AtLaboratory>;
  kit: (codes: string[]) => Promise<AtLaboratory>;
  /** Sends a message with a header and these segments. Returns the code of the answer and the reason of a refusal. */
  send: (segments: string[], header?: { at?: string; controlId?: string }) => Promise<string>;
  results: (orderId: string) => Promise<OrderResults>;
  read: (orderId: string) => Promise<OrderBody>;
  /** The events of the team about the order: `critical`, or the last part of the status. */
  events: (orderId: string) => Promise<string[]>;
  messages: () => Promise<{ control_id: string; state: string; reason: string | null; id: string }[]>;
  close: () => Promise<void>;
};

export const PID = 'PID|1||X7||Palmer^Grace||19880412|F';

/** Writes an OBR with its number, code, status and time of the report. */
export const obr = (number: string, code: string, status: string, at = '20260122100000'): string =>
  `OBR|1|${number}|F-${number}|${code}|||20260120081500|||||||20260121090000||||||||${at}|||${status}`;

/** Writes a numeric OBX, as `GLU 88`, with its status and flag. */
export const obx = (code: string, value: string, { status = 'F', flag = '', range = '' } = {}): string =>
  `OBX|1|NM|${code}^${code}^L||${value}|mg/dL|${range}|${flag}|||${status}`;

export async function startLaboratoryOrders(markers: Record<string, unknown>[]): Promise<LaboratoryOrders> {
  const logged: string[] = [];
  const laboratory = await startHl7Laboratory();
  const app = await startTestApp(
    {
      PHIAL_ENVIRONMENT: 'production',
      PHIAL_BASE_URL: 'https://phial.example.com',
      PHIAL_HL7_PORT: '0',
      PHIAL_LOG_LEVEL: 'info',
    },
    { logTo: (line) => logged.push(line) },
  );
  const connect: LaboratoryOrders['connect'] = (hl7 = {}, more = markers) =>
    connectTestLaboratory(app.databaseUrl, { orders: byMllp(laboratory.port), ...hl7 }, {}, more);
  await connect();
  const partial = '{"partial_webhooks_enabled": true}';
  await sql`update teams set settings = settings || ${partial}::jsonb where id = ${app.team.id}`.execute(app.db);
  const hl7: Hl7 = await startHl7(app.ctx);
  const port = hl7.port as number;
  const taken = async ({ id, user_id }: OrderBody): Promise<AtLaboratory> => {
    await app.runJobs();
    return { id, user_id, number: text_(laboratory.orders.at(-1) as never, 'ORC.4') };
  };
  let sent = 0;
  return {
    app,
    laboratory,
    port,
    logged,
    connect,
    walkIn: async (codes, changes = {}) => {
      const { user_id } = await makeUser(app.team);
      const { body } = await app.team.api<{ order: OrderBody }>('POST', '/v3/order', {
        user_id,
        order_set: { lab_test_ids: [await addLabTest(app, app.team, 'walk_in_test', codes)] },
        patient_details: patientDetails,
        patient_address: patientAddress,
        physician,
        ...changes,
      });
      return taken(body.order);
    },
    kit: async (codes) =>
      taken(await kitAtLaboratory(app, app.team, await addLabTest(app, app.team, 'testkit', codes))),
    send: async (segments, { at = '20260122103000', controlId } = {}) => {
      sent += 1;
      const header = `MSH|^~\\&|LAB|LABFAC|PHIAL|ACC-1|${at}||ORU^R01^ORU_R01|${controlId ?? `C${sent}`}|P|2.5.1`;
      const response = await sendFrame(port, `${[header, ...segments].join('\r')}\r`);
      return [response?.code, response?.error].filter(Boolean).join(' ');
    },
    results: async (orderId) => (await app.team.api<OrderResults>('GET', `/v3/order/${orderId}/result`)).body,
    read: (orderId) => readOrder(app.team, orderId),
    events: async (orderId) =>
      (await publishedTo(app, app.team))
        .map(({ event_type, body }) => ({
          event_type,
          data: (JSON.parse(body) as { data: Record<string, unknown> }).data,
        }))
        .filter(({ data }) => data['order_id'] === orderId || data['id'] === orderId)
        .map(({ event_type, data }) =>
          event_type === 'labtest.result.critical'
            ? 'critical'
            : ((data['last_event'] as { status: string }).status.split('.')[2] as string),
        ),
    messages: async () =>
      app.db
        .selectFrom('hl7_messages')
        .select(['id', 'control_id', 'state', 'reason'])
        .orderBy('received_at')
        .execute(),
    close: async () => {
      await hl7.stop();
      await app.close();
      await laboratory.close();
    },
  };
}
