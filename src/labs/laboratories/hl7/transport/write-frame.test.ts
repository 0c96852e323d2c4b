// A laboratory that sends messages and does not read our answers, on our port and on a connection that we opened.
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { frame, openFrameReader } from '@phial/hl7/mllp-frames';
import { startTestApp, type TestApp } from '../../../../../test/test-app.ts';
import { byMllp, connectTestLaboratory } from '../../../../../test/hl7-deployment.ts';
import { openLine } from './open-line.ts';
import { listenForLaboratories } from './listen-for-laboratories.ts';

const MIB = 2 ** 20;
/** A large message, so that a chunk of bytes that a socket reads contains only a few messages. */
const MESSAGE = frame(Buffer.alloc(16 * 1024, 'm'));
const MESSAGES = 400;
const ANSWER = Buffer.alloc(MIB / 4, 'a');
/** The most bytes that the operating system buffers between two sockets. */
const MAX_IN_SYSTEM = 24 * MIB;

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ PHIAL_HL7_PORT: '0' });
  await connectTestLaboratory(app.databaseUrl, { orders: byMllp(1), results: { networks: ['127.0.0.1/32'] } });
});
afterAll(() => app.close());
const open: (() => unknown)[] = [];
afterEach(async () => {
  vi.useRealTimers();
  for (const close of open.splice(0).toReversed()) await close();
});

/** Waits until the count no longer changes, and returns it. */
async function untilStable(count: () => number): Promise<number> {
  for (let before = -1; before !== count(); await wait(300)) before = count();
  return count();
}

test('our port stops reading from a laboratory that does not read, and answers all once it does', async () => {
  let taken = 0;
  const listener = await listenForLaboratories(app.ctx, async () => {
    taken += 1;
    return { ack: ANSWER, ok: true, parts: 1 };
  });
  const socket = connect({ host: '127.0.0.1', port: listener?.port as number });
  open.push(
    () => listener?.close(),
    () => socket.destroy(),
  );
  for (let n = 0; n < MESSAGES; n += 1) socket.write(MESSAGE);
  const unread = await untilStable(() => taken);
  expect(unread).toBeGreaterThan(0);
  expect(unread * ANSWER.length).toBeLessThan(MAX_IN_SYSTEM);
  const reader = openFrameReader(MIB);
  let answers = 0;
  socket.on('data', (bytes) => {
    answers += reader.push(bytes as Buffer).length;
  });
  await vi.waitFor(() => expect(answers).toBe(MESSAGES), 10_000);
});

const acceptOne = async (server: Server): Promise<{ port: number; accepted: Promise<Socket> }> => {
  const accepted = new Promise<Socket>((resolve) => server.once('connection', resolve));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  open.push(() => server.close());
  return { port: (server.address() as AddressInfo).port, accepted };
};
const openTestLine = (port: number, answer: () => void) =>
  openLine(
    { host: '127.0.0.1', port, networks: ['127.0.0.1/32'] },
    {
      charset: 'UTF-8',
      log: app.ctx.log,
      take: async () => {
        answer();
        return [ANSWER];
      },
    },
  );

test('our connection closes once too many messages of a laboratory that does not read wait', async () => {
  const { port, accepted } = await acceptOne(createServer({ pauseOnConnect: true }));
  let taken = 0;
  const line = await openTestLine(port, () => {
    // Messages that arrived before the connection closed are still handled, so the test does not count them.
    if (line.isOpen()) taken += 1;
  });
  const peer = await accepted;
  open.push(line.close, () => peer.destroy());
  peer.on('error', () => undefined);
  for (let n = 0; n < MESSAGES; n += 1) peer.write(MESSAGE);
  await vi.waitFor(() => expect(line.isOpen()).toBe(false), 10_000);
  expect(taken).toBeGreaterThan(0);
  expect(taken * ANSWER.length).toBeLessThan(MAX_IN_SYSTEM);
});

test('our connection closes after a minute if the laboratory does not read', async () => {
  const { port, accepted } = await acceptOne(createServer({ pauseOnConnect: true }));
  let taken = 0;
  const line = await openTestLine(port, () => {
    taken += 1;
  });
  const peer = await accepted;
  open.push(line.close, () => peer.destroy());
  peer.on('error', () => undefined);
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  // More messages than we answer, so that a few wait.
  for (let n = 0; n < 150; n += 1) peer.write(MESSAGE);
  for (let before = -1; before !== taken; await wait(300)) before = taken;
  vi.advanceTimersByTime(59_000);
  expect(line.isOpen()).toBe(true);
  vi.advanceTimersByTime(2_000);
  await vi.waitFor(() => expect(line.isOpen()).toBe(false));
});
