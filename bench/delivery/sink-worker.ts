// The endpoint of all delivery benchmarks, in its own process. It uses as little processor time as possible, because
// the measured program runs on the same processors. It parses the HTTP/1.1 of undici itself, and answers 204.
import { createServer, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';

/** Of this many requests, the reference library verifies the signature of one. */
const VERIFIED_EACH = 100;

export type Order =
  | { do: 'trust'; secrets: [path: string, secret: string][] }
  /** From now on, requests to these paths get no response, and requests to all other paths get one. */
  | { do: 'hang'; paths: string[] }
  | { do: 'forget' }
  | { do: 'report'; arrivals: boolean };

export type Report = {
  /** The number of complete requests, and of their different ids. */
  received: number;
  unique: number;
  verified: number;
  badSignatures: number;
  /** The number of hanging requests at the moment. */
  hanging: number;
  /** Processor time since the start, in ms. */
  cpuMs: number;
  /** When the first request arrived, by the clock of `monotonicNow` in milliseconds. Null if nothing has arrived. */
  firstAt: number | null;
  /** When the first byte of the first request with each id arrived. Empty unless the order asks for it. */
  arrivals: [id: string, at: number][];
};

const HEAD_END = Buffer.from('\r\n\r\n');
const ANSWER = Buffer.from('HTTP/1.1 204 No Content\r\n\r\n');
const ID_LENGTH = 36;
/** performance.now() counts from the start of this process. With this offset, it is the clock of all processes. */
const offset = Number(process.hrtime.bigint()) / 1e6 - performance.now();

const secrets = new Map<string, Webhook>();
let hangingPaths = new Set<string>();
let hanging = 0;
let arrivals = new Map<string, number>();
let [received, verified, badSignatures] = [0, 0, 0];
let firstAt: number | null = null;

/** Parses the requests of one connection, one after the other. */
function serve(socket: Socket): void {
  let pending: Buffer | null = null;
  let beganAt = 0;
  socket.setNoDelay(true);
  socket.on('error', () => undefined);
  socket.on('data', (chunk: Buffer) => {
    if (!pending) beganAt = performance.now() + offset;
    let bytes = pending ? Buffer.concat([pending, chunk]) : chunk;
    for (;;) {
      const length = lengthOf(bytes);
      if (length === null || length > bytes.length) break;
      take(socket, bytes.subarray(0, length), beganAt);
      bytes = bytes.subarray(length);
      if (bytes.length === 0) break;
    }
    pending = bytes.length === 0 ? null : bytes;
  });
}

/** Returns the length of the first request, head and body. Null until its head has arrived. */
function lengthOf(bytes: Buffer): number | null {
  const end = bytes.indexOf(HEAD_END);
  if (end === -1) return null;
  const at = bytes.indexOf('content-length: ');
  const digits = bytes.toString('latin1', at + 16, at + 26);
  return end + HEAD_END.length + Number.parseInt(digits, 10);
}

function take(socket: Socket, request: Buffer, at: number): void {
  firstAt ??= at;
  const path = request.toString('latin1', 5, request.indexOf(' ', 5));
  if (hangingPaths.has(path)) {
    hanging += 1;
    socket.once('close', () => (hanging -= 1));
    return;
  }
  const idAt = request.indexOf('webhook-id: ') + 12;
  const id = request.toString('latin1', idAt, idAt + ID_LENGTH);
  received += 1;
  if (!arrivals.has(id)) arrivals.set(id, at);
  if (received % VERIFIED_EACH === 1) verify(path, request);
  socket.write(ANSWER);
}

function verify(path: string, request: Buffer): void {
  const webhook = secrets.get(path);
  if (!webhook) return;
  const end = request.indexOf(HEAD_END);
  const [, ...lines] = request.toString('latin1', 0, end).split('\r\n');
  const headers = Object.fromEntries(lines.map((line) => line.split(': ') as [string, string]));
  try {
    webhook.verify(request.subarray(end + HEAD_END.length), headers);
    verified += 1;
  } catch {
    badSignatures += 1;
  }
}

function report(withArrivals: boolean): Report {
  const { user, system } = process.cpuUsage();
  return {
    received,
    unique: arrivals.size,
    verified,
    badSignatures,
    hanging,
    cpuMs: (user + system) / 1000,
    firstAt,
    arrivals: withArrivals ? [...arrivals] : [],
  };
}

function obey(order: Order): void {
  if (order.do === 'trust') for (const [path, secret] of order.secrets) secrets.set(path, new Webhook(secret));
  if (order.do === 'hang') hangingPaths = new Set(order.paths);
  if (order.do === 'forget') {
    arrivals = new Map();
    [received, verified, badSignatures] = [0, 0, 0];
    firstAt = null;
  }
  process.send?.(order.do === 'report' ? report(order.arrivals) : null);
}

const server = createServer(serve);
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
process.on('message', obey);
process.on('disconnect', () => process.exit());
