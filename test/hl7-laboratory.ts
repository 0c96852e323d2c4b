import { randomUUID } from 'node:crypto';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { setTimeout as wait } from 'node:timers/promises';
import { Message } from 'node-hl7-client';

const [VT, FS, CR] = [0x0b, 0x1c, 0x0d];

/** Several messages are sent one after the other in one write. */
type Made = string | string[] | null;
type Make = (order: Message) => Made | Promise<Made>;

/** The faulty behaviours. With null the laboratory accepts valid orders. */
type Fault = 'never_answers' | 'closes_before_answer' | 'resets' | 'answers_another' | 'refuses' | null;

export type Hl7Laboratory = {
  port: number;
  /** Orders in the sequence of arrival, parsed by an independent library. */
  orders: Message[];
  /** The control ids of the orders. */
  controlIds: () => string[];
  behave: (fault: Fault) => void;
  /** Sends what `make` returns for an order instead of an ACK. Sends no answer if that is null. */
  respondBy: (make: Make | null) => void;
  /** Sends a message on each open connection, and returns how many these are. */
  say: (message: string) => number;
  /** The answers to those messages, oldest first. */
  answers: Message[];
  /** Answers AE to orders without these fields, in addition to the usual ones. */
  require: (paths: string[]) => void;
  /** Accepts no connections until it is called with false. */
  down: (isDown: boolean) => Promise<void>;
  close: () => Promise<void>;
};

/** The fields that a laboratory needs. It answers AE with the name of a missing one. */
const REQUIRED = [
  'MSH.4',
  'MSH.10',
  'PID.3.1',
  'PID.5.1',
  'PID.5.2',
  'PID.7',
  'PID.8',
  'ORC.1',
  'ORC.2',
  'OBR.2',
  'OBR.4.1',
];

/**
 * Starts a laboratory that takes orders by MLLP. It reads them with node-hl7-client and refuses orders without a
 * required field. With a certificate it speaks TLS.
 */
export async function startHl7Laboratory(tls: { cert: string; key: string } | null = null): Promise<Hl7Laboratory> {
  const orders: Message[] = [];
  const answers: Message[] = [];
  const sockets = new Set<Socket>();
  let fault: Fault = null;
  let make: Make | null = null;
  let required = REQUIRED;
  const begin = (socket: Socket): void => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
    let buffered = Buffer.alloc(0);
    socket.on('data', (bytes) => {
      buffered = Buffer.concat([buffered, bytes]);
      for (let end = buffered.indexOf(FS); end !== -1; end = buffered.indexOf(FS)) {
        void take(socket, buffered.subarray(buffered.indexOf(VT) + 1, end).toString('utf8'));
        buffered = buffered.subarray(end + 2);
      }
    });
  };
  const server = tls ? createTlsServer(tls, begin) : createServer(begin);

  async function take(socket: Socket, text: string): Promise<void> {
    const order = new Message({ text });
    if (text_(order, 'MSH.9.1') === 'ACK') return void answers.push(order);
    orders.push(order);
    if (fault === 'never_answers') return;
    if (make) return reply(socket, await make(order));
    if (fault === 'closes_before_answer') return void socket.destroy();
    if (fault === 'resets') return void socket.resetAndDestroy();
    const missing = required.find((path) => text_(order, path) === '');
    const controlId = fault === 'answers_another' ? 'ANOTHER' : text_(order, 'MSH.10');
    const isRefused = missing !== undefined || fault === 'refuses';
    const answer = [
      `MSH|^~\\&|LAB|LABFAC|${text_(order, 'MSH.3')}|${text_(order, 'MSH.4')}|20260122||ACK^O21^ACK|` +
        `A${orders.length}|P|2.5.1`,
      `MSA|${isRefused ? 'AE' : 'AA'}|${controlId}`,
      ...(isRefused ? [`ERR||${missing ?? ''}|101|E`] : []),
    ].join('\r');
    reply(socket, answer);
  }

  function reply(socket: Socket, made: Made): void {
    const frames = [made ?? []].flat().map((text) => [Buffer.of(VT), Buffer.from(`${text}\r`), Buffer.of(FS, CR)]);
    if (frames.length > 0) socket.write(Buffer.concat(frames.flat()));
  }

  const listen = (port: number): Promise<void> =>
    new Promise((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, '127.0.0.1', resolve);
    });
  const shut = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      for (const socket of sockets) socket.destroy();
    });
  await listen(0);
  const { port } = server.address() as AddressInfo;
  return {
    port,
    orders,
    answers,
    say: (message) => {
      for (const socket of sockets) reply(socket, message);
      return sockets.size;
    },
    controlIds: () => orders.map((order) => text_(order, 'MSH.10')),
    behave: (how) => {
      fault = how;
    },
    respondBy: (how) => {
      make = how;
    },
    require: (paths) => {
      required = [...REQUIRED, ...paths];
    },
    down: (isDown) => (isDown ? shut() : listen(port)),
    close: async () => {
      if (server.listening) await shut();
    },
  };
}

/** Reads a field of a message with the library. Returns an empty text if the field is missing. */
export function text_(message: Message, path: string): string {
  const [segment = '', ...rest] = path.split('.');
  if (!message.exists(segment)) return '';
  const node = message.get(segment);
  const first = node.length > 1 && segment !== 'MSH' ? node.get(0) : node;
  const found = first.get(rest.join('.'));
  return found.isEmpty() ? '' : found.toString();
}

/** Writes a message of the laboratory about orders, as `ORL^O22`. `segments` follow the header. */
export function orderReply(
  {
    type = 'ORL^O22',
    id = randomUUID().slice(0, 12),
    account = 'ACC-1',
  }: { type?: string; id?: string; account?: string },
  segments: string[],
): string {
  return [`MSH|^~\\&|LAB|LABFAC|PHIAL|${account}|20260122103000||${type}|${id}|P|2.5.1`, ...segments, ''].join('\r');
}

export type ResultToSend = {
  controlId: string;
  placer: string;
  filler?: string;
  /** The laboratory's code of the test. The default is GLU. */
  test?: string;
  account?: string;
  status?: string;
  dob?: string;
  charset?: string;
  sampleId?: string;
  /** The accession number of the sample. */
  accession?: string;
  /** When the laboratory reported the result. */
  at?: string;
  values: {
    code: string;
    system?: string;
    type?: string;
    value: string;
    unit?: string;
    range?: string;
    flags?: string;
    status?: string;
  }[];
};

/** Writes an ORU^R01 of a laboratory with node-hl7-client. */
export function resultMessage(result: ResultToSend): string {
  const message = new Message({
    messageHeader: { msh_9_1: 'ORU', msh_9_2: 'R01', msh_9_3: 'ORU_R01', msh_10: result.controlId, msh_11_1: 'P' },
  });
  message.set('MSH.3', 'LAB');
  message.set('MSH.4', 'LABFAC');
  message.set('MSH.5', 'PHIAL');
  message.set('MSH.6', result.account ?? '');
  // By default the library writes the current second, and the same result sent again would be another message.
  message.set('MSH.7', '20260122103000');
  message.set('MSH.12', '2.5.1');
  if (result.charset) message.set('MSH.18', result.charset);
  const patient = message.addSegment('PID');
  patient.set('1', '1');
  patient.set('3.1', 'X7');
  patient.set('5.1', 'Palmer');
  patient.set('5.2', 'Grace');
  patient.set('7', result.dob ?? '19880412');
  patient.set('8', 'F');
  const order = message.addSegment('OBR');
  order.set('1', '1');
  order.set('2', result.placer);
  order.set('3', result.filler ?? 'F-1001');
  order.set('4.1', result.test ?? 'GLU');
  order.set('7', '20260120081500');
  order.set('14', '20260121090000');
  order.set('22', result.at ?? '20260122103000');
  order.set('25', result.status ?? 'F');
  for (const [at, value] of result.values.entries()) {
    const observation = message.addSegment('OBX');
    observation.set('1', String(at + 1));
    observation.set('2', value.type ?? 'NM');
    observation.set('3.1', value.code);
    observation.set('3.2', value.code);
    observation.set('3.3', value.system ?? 'L');
    observation.set('5', value.value);
    observation.set('6', value.unit ?? 'mg/dL');
    observation.set('7', value.range ?? '70-99');
    if (value.flags) observation.set('8', value.flags);
    observation.set('11', value.status ?? 'F');
  }
  if (result.sampleId || result.accession) {
    const specimen = message.addSegment('SPM');
    specimen.set('1', '1');
    if (result.sampleId) specimen.set('2.1', result.sampleId);
    if (result.accession) specimen.set('30', result.accession);
  }
  return message.toString();
}

export type Sent = { code: string; controlId: string; error: string };

/** Sends bytes as a frame and reads the answer. Returns null if the connection was closed without one. */
export function sendFrame(port: number, content: Buffer | string, { raw = false } = {}): Promise<Sent | null> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    let heard = Buffer.alloc(0);
    socket.on('error', reject);
    socket.on('close', () => resolve(null));
    socket.on('data', (bytes) => {
      heard = Buffer.concat([heard, bytes]);
      const end = heard.indexOf(FS);
      if (end === -1) return;
      const answer = new Message({ text: heard.subarray(1, end).toString('utf8') });
      resolve({ code: text_(answer, 'MSA.1'), controlId: text_(answer, 'MSA.2'), error: text_(answer, 'ERR.5.2') });
      socket.end();
    });
    const bytes = typeof content === 'string' ? Buffer.from(content) : content;
    socket.write(raw ? bytes : Buffer.concat([Buffer.of(VT), bytes, Buffer.of(FS, CR)]));
  });
}

/** Sends a frame and reads `frames` frames of the answer without parsing them. */
export function exchangeFrames(port: number, content: Buffer | string, frames = 1): Promise<string[]> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1');
    let heard = '';
    socket.on('error', reject);
    socket.on('close', () => reject(new Error('The connection was closed before all answers came.')));
    socket.on('data', (bytes) => {
      heard += bytes.toString('latin1');
      const answers = heard.split('\x1C\r').slice(0, -1);
      if (answers.length < frames) return;
      resolve(answers.map((answer) => answer.replace('\x0B', '')));
      socket.end();
    });
    socket.write(Buffer.concat([Buffer.of(VT), Buffer.from(content), Buffer.of(FS, CR)]));
  });
}

/** Waits until the condition holds, for at most 20 seconds. */
export async function until(condition: () => boolean | Promise<boolean>): Promise<void> {
  for (const from = Date.now(); !(await condition()); await wait(20))
    if (Date.now() - from > 20_000) throw new Error('The condition did not hold within 20 seconds.');
}
