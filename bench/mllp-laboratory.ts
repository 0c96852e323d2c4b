// A simulated laboratory that keeps running when the program is killed. It accepts orders by MLLP, and sends a result
// for each order until the program acknowledges the result.
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';

const [VT, FS, CR] = ['\x0b', '\x1c', '\r'];
const SLOWEST_ANSWER_MS = 30;
const AGAIN_MS = 250;
const ANSWER_WITHIN_MS = 5_000;

export type Laboratory = {
  port: number;
  /** The control ids (MSH-10) of messages with a new order (ORC-1 is NW), by the user's id in PID-3. */
  ordered: Map<string, Set<string>>;
  /** The same for cancellations. */
  cancelled: Map<string, Set<string>>;
  /** The values of the acknowledged results, by the user's id. */
  acknowledged: Map<string, string>;
  /** A sentence for each message that the program must never send, such as an order after its cancellation. */
  wrong: string[];
  counts: { received: number; cutOff: number; resultsSent: number };
  close: () => void;
};

/** `resultsTo` is the port of the program for results. */
export async function startLaboratory(resultsTo: number): Promise<Laboratory> {
  const sockets = new Set<Socket>();
  let isClosed = false;
  const laboratory: Omit<Laboratory, 'port' | 'close'> = {
    ordered: new Map(),
    cancelled: new Map(),
    acknowledged: new Map(),
    wrong: [],
    counts: { received: 0, cutOff: 0, resultsSent: 0 },
  };
  const { ordered, cancelled, acknowledged, wrong, counts } = laboratory;

  async function answer(socket: Socket, text: string): Promise<void> {
    const order = readOrder(text);
    await wait(Math.random() * SLOWEST_ANSWER_MS);
    if (socket.destroyed) {
      // The connection broke before the answer. The laboratory has the order nevertheless.
      counts.cutOff += 1;
    }
    counts.received += 1;
    const known = order.control === 'NW' ? ordered : cancelled;
    const ids = known.get(order.user) ?? new Set();
    if (order.control === 'NW' && cancelled.has(order.user))
      wrong.push(`${order.number} is ordered after its cancellation`);
    if (order.control === 'NW' && ids.size === 0) void reportResult(order);
    known.set(order.user, ids.add(order.controlId));
    if (!socket.destroyed)
      socket.write(frame(['MSH|^~\\&|LAB|LABFAC|||20260122||ACK|A1|P|2.5.1', `MSA|AA|${order.controlId}`]));
  }

  /** Sends a result again and again until the program acknowledges it, because a kill cuts the connection. */
  async function reportResult({ user, number }: Order): Promise<void> {
    const value = String(70 + Math.floor(Math.random() * 30));
    const segments = [
      `MSH|^~\\&|LAB|LABFAC|PHIAL|BENCH|20260122103000||ORU^R01^ORU_R01|R${number}|P|2.5.1`,
      'PID|1||X7',
      `OBR|1|${number}|F${number}|GLU|||20260120081500|||||||20260121090000||||||||20260122103000|||F`,
      `OBX|1|NM|GLU^Glucose^L||${value}|mg/dL|70-99||||F`,
    ];
    while (!isClosed) {
      counts.resultsSent += 1;
      const code = await send(resultsTo, frame(segments));
      if (code === 'AA') return void acknowledged.set(user, value);
      // The program stores a message that it cannot apply at the moment of a kill, and answers so. Any other answer is
      // a refusal.
      if (code !== null && !code.endsWith('internal_error')) return void wrong.push(`a result was answered ${code}`);
      await wait(AGAIN_MS);
    }
  }

  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
    readFrames(socket, (text) => void answer(socket, text));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    ...laboratory,
    port: (server.address() as AddressInfo).port,
    close: () => {
      isClosed = true;
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}

type Order = { control: string; number: string; controlId: string; user: string };

function readOrder(text: string): Order {
  const lines = text.split('\r').map((line) => line.split('|'));
  const of = (name: string, at: number): string => lines.find(([first]) => first === name)?.[at] ?? '';
  return {
    control: of('ORC', 1),
    number: of('ORC', 2),
    controlId: of('MSH', 9),
    user: of('PID', 3).split('^')[0] ?? '',
  };
}

const frame = (segments: string[]): string => `${VT}${segments.join(CR)}${CR}${FS}${CR}`;

function readFrames(socket: Socket, take: (text: string) => void): void {
  let buffered = '';
  socket.setEncoding('utf8');
  socket.on('data', (text: string) => {
    buffered += text;
    for (let end = buffered.indexOf(FS); end !== -1; end = buffered.indexOf(FS)) {
      take(buffered.slice(buffered.indexOf(VT) + 1, end));
      buffered = buffered.slice(end + 2);
    }
  });
}

/** Sends a message. Returns the code of MSA-1, followed by that of ERR-5 if there is one. Null without an answer. */
function send(port: number, bytes: string): Promise<string | null> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.setTimeout(ANSWER_WITHIN_MS, () => socket.destroy());
    socket.on('error', () => socket.destroy());
    socket.on('close', () => resolve(null));
    readFrames(socket, (text) => {
      const code = /\rMSA\|(\w+)/.exec(text)?.[1] ?? '';
      const reason = /\rERR\|\|\|[^|]*\|E\|\^(\w+)/.exec(text)?.[1];
      resolve(reason === undefined ? code : `${code} ${reason}`);
      socket.end();
    });
    socket.write(bytes);
  });
}
