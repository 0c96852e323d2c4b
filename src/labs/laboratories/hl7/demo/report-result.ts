import { encode } from '@phial/hl7/encoding';
import { segment, type Message, type Segment } from '@phial/hl7/message';
import { writeDate, writeTime } from '@phial/hl7/times';
import { write } from '@phial/hl7/write';
import type { TeamCtx } from '../../../../context.ts';
import { defineTeamJob } from '../../../../tenancy/teams/define-team-job.ts';
import { loadOrders, type LoadedOrder } from '../../../orders/load-order.ts';
import { findConnections, type Connection } from '../connections/find-connection.ts';
import { openInbox } from '../open-inbox.ts';
import { DEMO_LABORATORY, demoReportKind, isDemoLaboratory } from './demo-laboratory.ts';

/** The job in which the laboratory of the demo clinic sends a result. A second run sends the same bytes. */
export const demoReport = defineTeamJob({
  ...demoReportKind,
  run: (ctx, { order_id }) => reportResult(ctx, order_id),
});

async function reportResult(ctx: TeamCtx, orderId: string): Promise<void> {
  const connection = (await findConnections(ctx)).find((each) => isDemoLaboratory(ctx, each));
  const [order] = await loadOrders(ctx, [orderId]);
  const numbers = await ctx.db
    .selectFrom('order_numbers')
    .select(['number', 'account_number'])
    .where('team_id', '=', ctx.team.id)
    .where('order_id', '=', orderId)
    .executeTakeFirst();
  if (!connection || !order || !numbers) return;
  const message = resultMessage(connection, order, numbers);
  await openInbox(ctx)([connection], encode(write(message), 'UTF-8'));
}

type Value = { code: string; name: string; value: string; unit: string; range: string; flag: string; status: string };

const VALUES: readonly Value[] = (
  [
    ['GLU', 'Glucose, fasting', '108', 'mg/dL', '70-99', 'H'],
    ['A1C', 'Hemoglobin A1c', '5.4', '%', '<5.7', ''],
    ['CHO', 'Total cholesterol', '212', 'mg/dL', '<200', 'H'],
    ['HDL', 'HDL cholesterol', '54', 'mg/dL', '>=50', ''],
    ['TRI', 'Triglycerides', '131', 'mg/dL', '<150', ''],
  ] as const
).map(([code, name, value, unit, range, flag]) => ({ code, name, value, unit, range, flag, status: 'F' }));

/** The mistakes of the laboratory, by the last name of the patient. Another value of one field mends each. */
const MISTAKES: Readonly<Record<string, (value: Value) => Value>> = {
  // OBX-11: the status Q does not exist.
  misflagged: (value) => (value.code === 'GLU' ? { ...value, status: 'Q' } : value),
  // OBX-5: a number is written with a decimal comma.
  miswritten: (value) => (value.code === 'A1C' ? { ...value, value: value.value.replace('.', ',') } : value),
};

const MINUTE_MS = 60_000;
/** The minutes from the order to the steps at the laboratory. */
const AFTER = { collected: 20, received: 60, reported: 150 };

function resultMessage(
  { settings }: Connection,
  { row }: LoadedOrder,
  { number, account_number }: { number: string; account_number: string },
): Message {
  const placed = Date.parse(row.created_at);
  const at = (minutes: number): string =>
    writeTime(new Date(placed + minutes * MINUTE_MS).toISOString(), settings.time_zone);
  const person = row.patient_details as NonNullable<typeof row.patient_details>;
  const lastName = person.last_name ?? '';
  const mistake = new Map(Object.entries(MISTAKES)).get(lastName.toLowerCase()) ?? ((value: Value) => value);
  return [
    segment('MSH', {
      1: '|',
      2: '^~\\&',
      3: settings.application,
      4: settings.facility,
      5: 'PHIAL',
      6: account_number,
      7: at(AFTER.reported),
      9: ['ORU', 'R01', 'ORU_R01'],
      10: `${number}R`,
      11: 'P',
      12: '2.5.1',
    }),
    segment('PID', {
      1: '1',
      5: [lastName, person.first_name ?? ''],
      7: writeDate(person.dob),
      8: person.gender === 'male' ? 'M' : 'F',
    }),
    segment('OBR', {
      1: '1',
      2: number,
      3: `J-${number}`,
      4: [DEMO_LABORATORY.code, 'Heart and sugar panel', 'L'],
      7: at(AFTER.collected),
      14: at(AFTER.received),
      22: at(AFTER.reported),
      25: 'F',
    }),
    ...VALUES.map((value, index) => observation(mistake(value), index + 1)),
  ];
}

const observation = ({ code, name, value, unit, range, flag, status }: Value, position: number): Segment =>
  segment('OBX', {
    1: String(position),
    2: 'NM',
    3: [code, name, 'L'],
    5: value,
    6: unit,
    7: range,
    8: flag,
    11: status,
  });
