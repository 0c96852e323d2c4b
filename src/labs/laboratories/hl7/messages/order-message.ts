import { NAME_IN_HEADER } from '@phial/hl7/encoding';
import { segment, type Message, type Segment } from '@phial/hl7/message';
import { writeTime } from '@phial/hl7/times';
import type { LoadedOrder } from '../../../orders/load-order.ts';
import type { Settings } from '../connections/connection-settings.ts';
import { answerSegments } from './order-answers.ts';
import { coverage, guardian, patient } from './order-patient.ts';
import { accountFieldOf, OrderNotSendable, writerOf, type OrderToSend, type Writer } from './order-writer.ts';
import { ownProperty } from '../../../../wire/own-property.ts';

/** Writes an order as the HL7 message OML^O21, or as the older ORM^O01 if the laboratory requires that. */
export function orderMessage(settings: Settings, sent: OrderToSend): Message {
  const { order } = sent;
  if (!order.row.patient_details) throw new OrderNotSendable('patient_missing');
  const write = writerOf(settings);
  const isLegacy = settings.orders.message === 'ORM^O01';
  const markers = order.labTest.markers ?? [];
  const tests = markers
    .map((test, at) => ({ test, number: numberOf(sent, at, markers.length), position: at + 1 }))
    .filter(({ position }) => sent.tests === null || sent.tests.includes(position));
  if (tests.length === 0) throw new OrderNotSendable('markers_missing');
  return [
    header(settings, sent, write),
    patient(settings, sent, write),
    ...(sent.kind === 'new' ? [...guardian(sent, write, isLegacy), ...coverage(sent, write)] : []),
    ...tests.flatMap(({ test, number }, at) => [
      common(settings, sent, write, number),
      request(settings, sent, write, { test, at, number }),
      ...(sent.kind === 'new' ? details(order, write, { test, isLegacy, isFirst: at === 0 }) : []),
    ]),
  ];
}

/**
 * Returns the number of a test in the message. If the order has one test, this is the number of the order. If it has
 * several tests, each test has its own number: `P0000001X-2` for the second test.
 */
const numberOf = ({ number }: OrderToSend, at: number, count: number): string =>
  count === 1 ? number : `${number}-${at + 1}`;

function header(settings: Settings, { controlId, sentAt, accountNumber }: OrderToSend, { text }: Writer): Segment {
  const ours = settings.our_application ?? 'PHIAL';
  const [code, trigger] = (settings.orders.message ?? 'OML^O21').split('^') as [string, string];
  return segment('MSH', {
    1: '|',
    2: '^~\\&',
    3: text(ours),
    4: text(accountFieldOf(settings) === 'MSH-4' ? accountNumber : (settings.orders.our_facility ?? ours)),
    5: text(settings.application),
    6: text(settings.facility),
    7: writeTime(sentAt, settings.time_zone),
    9: [code, trigger, code === 'OML' ? 'OML_O21' : 'ORM_O01'],
    10: controlId,
    11: 'P',
    12: settings.orders.version ?? '2.5.1',
    15: 'AL',
    16: 'AL',
    18: NAME_IN_HEADER[settings.charset ?? 'UTF-8'],
  });
}

function physicianOf(settings: Settings, { row: { physician } }: LoadedOrder, { text }: Writer): string[] | '' {
  if (!physician) return '';
  const { npi, last_name, first_name } = physician;
  return [
    npi,
    text(last_name),
    text(first_name),
    '',
    '',
    '',
    '',
    '',
    'NPI',
    'L',
    '',
    '',
    settings.orders.identifiers?.physician ?? 'NPI',
  ];
}

const common = (settings: Settings, sent: OrderToSend, write: Writer, number: string): Segment =>
  segment('ORC', {
    1: sent.kind === 'new' ? 'NW' : 'CA',
    2: write.limited('order_number', number),
    4: sent.number,
    9: writeTime(sent.askedAt, settings.time_zone),
    12: physicianOf(settings, sent.order, write),
    ...(sent.order.row.has_abn && { 20: '2' }),
    ...(accountFieldOf(settings) === 'ORC-21' && { 21: facilityOf(settings, sent, write) }),
  });

/**
 * Writes the ordering facility, which is the customer, as XON (HL7's type for organisations). Its identifier is the
 * account.
 */
const facilityOf = (settings: Settings, { accountNumber }: OrderToSend, { text }: Writer): string[] => [
  text(settings.orders.our_facility ?? ''),
  '',
  '',
  '',
  '',
  '',
  settings.orders.identifiers?.account ?? 'AN',
  '',
  '',
  text(accountNumber),
];

type Marker = NonNullable<LoadedOrder['labTest']['markers']>[number];
type Test = { test: Marker; at: number; number: string };

/**
 * The codes of HL7 table 0065. P: the sample of the kit will follow. L: the laboratory draws the sample at its own
 * center. For all other methods we send O: another party draws the sample.
 */
const ACTION: Readonly<Record<string, string>> = { testkit: 'P', walk_in_test: 'L' };

function request(settings: Settings, { order }: OrderToSend, write: Writer, { test, at, number }: Test): Segment {
  const { row } = order;
  const [main] = row.icd_codes ?? [];
  return segment('OBR', {
    1: String(at + 1),
    2: write.limited('order_number', number),
    4: [write.text(test.provider_id), write.text(test.name), 'L'],
    ...(row.priority && { 5: 'S' }),
    11: ownProperty(ACTION, row.method) ?? 'O',
    16: physicianOf(settings, order, write),
    ...(row.priority && { 27: ['', '', '', '', '', 'S'] }),
    ...(main !== undefined && { 31: [write.text(main), '', 'I10C'] }),
  });
}

/** The code of HL7 table 0487 for a sample type. For a sample type without a code, we send our own name of it. */
const SPECIMEN: Readonly<Record<string, [string, string]>> = {
  serum: ['SER', 'Serum'],
  urine: ['UR', 'Urine'],
  saliva: ['SAL', 'Saliva'],
  stool: ['STL', 'Stool'],
  dried_blood_spot: ['BLDC', 'Blood, capillary'],
  arm_collector: ['BLDC', 'Blood, capillary'],
};

/**
 * Writes the segments that belong to one test: notes, diagnoses, answers to the laboratory's questions, and the sample.
 * The older ORM^O01 has no segment for a sample, so it gets a note with the sample id.
 */
function details(
  order: LoadedOrder,
  write: Writer,
  { test, isLegacy, isFirst }: { test: Marker; isLegacy: boolean; isFirst: boolean },
): Segment[] {
  const { row, labTest } = order;
  const diagnoses = (row.icd_codes ?? []).map((code, at) =>
    segment('DG1', { 1: String(at + 1), 3: [write.text(code), '', 'I10C'], 6: 'W' }),
  );
  const texts = isFirst && row.clinical_notes ? [write.limited('clinical_notes', row.clinical_notes)] : [];
  const sampleId = row.sample_id === null ? null : write.limited('sample_id', row.sample_id);
  if (isLegacy && sampleId !== null) texts.push(`SAMPLE ${sampleId}`);
  const notes = texts.map((text, at) => segment('NTE', { 1: String(at + 1), 2: 'P', 3: text }));
  const described = [...notes, ...diagnoses, ...answerSegments(test, order, write.text)];
  if (isLegacy || sampleId === null) return described;
  const type = ownProperty(SPECIMEN, labTest.sample_type) ?? [
    write.text(labTest.sample_type),
    write.text(labTest.sample_type),
  ];
  return [...described, segment('SPM', { 1: '1', 2: [[sampleId]], 4: [...type, 'HL70487'] })];
}
