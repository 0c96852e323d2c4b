import type { StoredInsurance } from '../../../../insurance/find-latest.ts';
import { printable, printableAscii } from '../../../../wire/printable.ts';
import type { LoadedOrder } from '../../../orders/load.ts';
import { NAME_IN_HEADER } from '../codec/encoding.ts';
import { repeat, segment, type Message, type Segment, type Value } from '../codec/message.ts';
import { USUAL_LENGTHS, type LengthName, type Settings } from '../connections/settings.ts';
import { answersTo } from './order-answers.ts';
import { writeDate, writeTime } from './times.ts';

/** What the laboratory could not take is found before it is sent. */
export class OrderNotSendable extends Error {
  readonly code: string;

  constructor(code: string) {
    super(`The order cannot be sent: ${code}.`);
    this.code = code;
  }
}

export type OrderToSend = {
  order: LoadedOrder;
  kind: 'new' | 'cancel';
  number: string;
  accountNumber: string;
  insurance: StoredInsurance | null;
  controlId: string;
  sentAt: string;
};

const SEX: Readonly<Record<string, string>> = { female: 'F', male: 'M', other: 'O', unknown: 'U' };
const RELATIONSHIP: Readonly<Record<string, string>> = { Self: 'SEL', Spouse: 'SPO', Other: 'OTH' };
/** Who pays, where it is neither the account nor an insurance. */
const BILLED: Readonly<Record<string, string>> = {
  patient_bill: 'P',
  patient_bill_passthrough: 'P',
};

/** The order as OML^O21, or as ORM^O01 where the laboratory wants that. */
export function orderMessage(settings: Settings, sent: OrderToSend): Message {
  const { order } = sent;
  if (!order.row.patient_details) throw new OrderNotSendable('patient_missing');
  const write = writerOf(settings);
  const isLegacy = settings.orders.message === 'ORM^O01';
  const tests = order.labTest.markers ?? [];
  if (tests.length === 0) throw new OrderNotSendable('markers_missing');
  return [
    header(settings, sent, write),
    patient(order, write),
    ...(sent.kind === 'new' ? coverage(sent, write) : []),
    ...tests.flatMap((test, at) => [
      common(settings, sent, write, numberOf(sent, at, tests.length)),
      request(sent, write, { test, at, number: numberOf(sent, at, tests.length) }),
      ...(sent.kind === 'new' ? details(order, write, { test, isLegacy, isFirst: at === 0 }) : []),
    ]),
  ];
}

/** A test of an order of several has a number of its own, whose beginning is that of the order. */
const numberOf = ({ number }: OrderToSend, at: number, count: number): string =>
  count === 1 ? number : `${number}-${at + 1}`;

type Writer = {
  text: (text: string | null | undefined) => string;
  limited: (name: LengthName, text: string | null | undefined) => string;
};

/** Everything that is written passes the allow-list, and the bounds of the laboratory. */
function writerOf({ charset = 'UTF-8', lengths = {} }: Settings): Writer {
  const inLatin = (text: string): string =>
    [...printable(text)].map((letter) => (letter <= '\u00FF' ? letter : printableAscii(letter))).join('');
  const allowed = { 'UTF-8': printable, 'ISO-8859-1': inLatin, ASCII: printableAscii }[charset];
  const text = (value: string | null | undefined): string => allowed(value ?? '');
  const limited = (name: LengthName, value: string | null | undefined): string => {
    // Notes alone may have lines, which the codec writes as `\.br\`.
    const written = name === 'clinical_notes' ? (value ?? '').split('\n').map(text).join('\n') : text(value);
    const most = lengths[name] ?? USUAL_LENGTHS[name];
    if ([...written].length > most) throw new OrderNotSendable(`${name}_too_long`);
    return written;
  };
  return { text, limited };
}

function header(settings: Settings, { controlId, sentAt, accountNumber }: OrderToSend, { text }: Writer): Segment {
  const [code, trigger] = (settings.orders.message ?? 'OML^O21').split('^') as [string, string];
  return segment('MSH', {
    1: '|',
    2: '^~\\&',
    3: text(settings.our_application ?? 'PHIAL'),
    4: text(accountNumber),
    5: text(settings.application),
    6: text(settings.facility),
    7: writeTime(sentAt, settings.time_zone),
    9: [code, trigger, code === 'OML' ? 'OML_O21' : 'ORM_O01'],
    10: controlId,
    11: 'P',
    12: '2.5.1',
    15: 'AL',
    16: 'AL',
    18: NAME_IN_HEADER[settings.charset ?? 'UTF-8'],
  });
}

function patient({ row, user }: LoadedOrder, write: Writer): Segment {
  const { limited } = write;
  const person = row.patient_details as NonNullable<typeof row.patient_details>;
  const address = row.patient_address;
  const phone = phoneOf(person.phone_number);
  return segment('PID', {
    1: '1',
    3: [user.id, '', '', 'PHIAL', 'PI'],
    5: [limited('last_name', person.last_name), limited('first_name', person.first_name), '', '', '', '', 'L'],
    7: writeDate(person.dob),
    8: SEX[person.gender] ?? 'U',
    ...(address && { 11: addressOf(address, write) }),
    13: repeat([
      ...(phone ? [phone] : []),
      ...(person.email ? [['', 'NET', 'X.400', limited('email', person.email)] as Value] : []),
    ]),
  });
}

/** Null for what is no number of North America, which alone these fields hold. */
function phoneOf(number: string | null): Value | null {
  const [, area, local] = /^\+1(\d{3})(\d{7})$/.exec(number ?? '') ?? [];
  return area && local ? ['', 'PRN', 'PH', '', '', area, local] : null;
}

type AddressLike = {
  first_line: string;
  second_line?: string | null;
  city: string;
  state: string;
  zip: string;
};

const addressOf = (address: AddressLike, { limited }: Writer): string[] => [
  limited('first_line', address.first_line),
  limited('second_line', address.second_line),
  limited('city', address.city),
  limited('state', address.state),
  limited('zip', address.zip),
  'USA',
  'H',
];

function coverage({ order, insurance }: OrderToSend, write: Writer): Segment[] {
  const billed = BILLED[order.row.billing_type];
  if (billed !== undefined) return [segment('IN1', { 1: '1', 2: billed, 3: billed, 47: billed })];
  if (order.row.billing_type !== 'commercial_insurance') return [];
  if (!insurance) throw new OrderNotSendable('insurance_missing');
  const { insured, company, guarantor } = insurance;
  const name = (person: { first_name: string; last_name: string }): string[] => [
    write.limited('last_name', person.last_name),
    write.limited('first_name', person.first_name),
  ];
  const insurer = segment('IN1', {
    1: '1',
    2: write.text(insurance.payor_code),
    3: write.text(insurance.payor_code),
    4: write.limited('company_name', company.name),
    5: addressOf(company.address, write),
    8: write.limited('group_id', insurance.group_id),
    16: name(insured),
    17: RELATIONSHIP[insurance.relationship] ?? 'OTH',
    18: writeDate(insured.dob),
    19: addressOf(insured.address, write),
    36: write.limited('member_id', insurance.member_id),
    43: SEX[insured.gender] ?? 'U',
    47: 'T',
  });
  if (!guarantor) return [insurer];
  return [
    insurer,
    segment('GT1', {
      1: '1',
      3: name(guarantor),
      5: addressOf(guarantor.address, write),
      6: phoneOf(guarantor.phone_number) ?? '',
      11: 'GRD',
    }),
  ];
}

function physicianOf({ row: { physician } }: LoadedOrder, { text }: Writer): string[] | '' {
  if (!physician) return '';
  const { npi, last_name, first_name } = physician;
  return [npi, text(last_name), text(first_name), '', '', '', '', '', 'NPI', 'L', '', '', 'NPI'];
}

const common = (settings: Settings, sent: OrderToSend, write: Writer, number: string): Segment =>
  segment('ORC', {
    1: sent.kind === 'new' ? 'NW' : 'CA',
    2: write.limited('order_number', number),
    4: sent.number,
    9: writeTime(sent.order.row.created_at, settings.time_zone),
    12: physicianOf(sent.order, write),
    ...(sent.order.row.has_abn && { 20: '2' }),
  });

type Marker = NonNullable<LoadedOrder['labTest']['markers']>[number];
type Test = { test: Marker; at: number; number: string };

function request({ order }: OrderToSend, write: Writer, { test, at, number }: Test): Segment {
  const { row } = order;
  const [main] = row.icd_codes ?? [];
  return segment('OBR', {
    1: String(at + 1),
    2: write.limited('order_number', number),
    4: [write.text(test.provider_id), write.text(test.name), 'L'],
    ...(row.priority && { 5: 'S' }),
    11: row.method === 'testkit' ? 'P' : 'O',
    16: physicianOf(order, write),
    ...(row.priority && { 27: ['', '', '', '', '', 'S'] }),
    ...(main !== undefined && { 31: [write.text(main), '', 'I10C'] }),
  });
}

/** HL7 table 0487, for the sample types of lab tests; others are told by their own name. */
const SPECIMEN: Readonly<Record<string, [string, string]>> = {
  serum: ['SER', 'Serum'],
  urine: ['UR', 'Urine'],
  saliva: ['SAL', 'Saliva'],
  stool: ['STL', 'Stool'],
  dried_blood_spot: ['BLDC', 'Blood, capillary'],
  arm_collector: ['BLDC', 'Blood, capillary'],
};

/**
 * What belongs to a test: notes, diagnoses, answers to what the laboratory asks, and the sample that it is made of. ORM^O01 has no segment for samples, so
 * the sample's number is a note there.
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
  const described = [...notes, ...diagnoses, ...answersTo(test, order, write.text)];
  if (isLegacy || sampleId === null) return described;
  const type = SPECIMEN[labTest.sample_type] ?? [write.text(labTest.sample_type), write.text(labTest.sample_type)];
  return [...described, segment('SPM', { 1: '1', 2: [[sampleId]], 4: [...type, 'HL70487'] })];
}
