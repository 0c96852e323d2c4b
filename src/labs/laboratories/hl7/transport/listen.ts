import { readFileSync } from 'node:fs';
import { createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type TLSSocket } from 'node:tls';
import type { Ctx } from '../../../../context.ts';
import { networksPolicy } from '../../../../outbound/address-policy.ts';
import { MOST } from '../codec/message.ts';
import { findConnections, type Connection } from '../connections/find-connection.ts';
import type { Receive } from '../inbox/receive.ts';
import { answersTo } from './answer-frame.ts';
import { openFrameReader } from './mllp-frames.ts';
import { writeFrame } from './write-frame.ts';

/** Of the process, and of one address, from before anything was said: a laboratory needs one, or a few. */
const MOST_CONNECTIONS = 64;
const MOST_OF_ADDRESS = 16;
/** Laboratories keep their connection; one that is gone without a word is noticed by then. */
const IDLE_MS = 30 * 60_000;
/** From the first byte of a message to its last. */
const MESSAGE_MS = 60_000;
const HANDSHAKE_MS = 10_000;

const NOBODY = 'a connection to the HL7 port came from nobody who may speak there';

export type Listener = { port: number; close: () => Promise<void> };

/** Takes results of laboratories by MLLP on PHIAL_HL7_PORT; null where none is set. */
export async function listenForLaboratories(ctx: Ctx, receive: Receive): Promise<Listener | null> {
  const { port, tls } = ctx.config.hl7;
  if (port === null) return null;
  const open = new Set<Socket>();
  const guarded =
    (next: (socket: Socket) => unknown) =>
    (socket: Socket): void => {
      socket.on('error', () => socket.destroy());
      void (async () => next(socket))().catch((err: unknown) => {
        ctx.log.error({ err }, 'a connection of a laboratory was given up');
        socket.destroy();
      });
    };
  const begin = guarded((socket) => speak(ctx, receive, socket));
  const handshakes = tls
    ? createTlsServer(
        {
          cert: readFileSync(tls.certificateFile),
          key: readFileSync(tls.keyFile),
          ...(tls.clientCaFile === null
            ? {}
            : { ca: readFileSync(tls.clientCaFile), requestCert: true, rejectUnauthorized: true }),
          handshakeTimeout: HANDSHAKE_MS,
        },
        begin,
      )
    : null;
  handshakes?.on('tlsClientError', () => undefined); // the connection is closed by then
  // Who may not speak here holds no place, and one address never all of them, whatever they say or do not say.
  const admit = guarded(async (socket) => {
    if (ofAddress(open, socket) >= MOST_OF_ADDRESS) return void socket.destroy();
    open.add(socket);
    socket.once('close', () => open.delete(socket));
    if ((await findNeighbours(ctx, socket)).length === 0) {
      ctx.log.warn(NOBODY);
      return void socket.destroy();
    }
    if (handshakes) handshakes.emit('connection', socket);
    else begin(socket);
  });
  const server: Server = createTcpServer(admit);
  server.maxConnections = MOST_CONNECTIONS;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host: ctx.config.host, port }, resolve);
  });
  const address = server.address();
  return {
    port: typeof address === 'object' && address ? address.port : port,
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of open) socket.end();
      setTimeout(() => open.forEach((socket) => socket.destroy()), 1_000).unref();
      await closed;
    },
  };
}

const ofAddress = (open: Set<Socket>, { remoteAddress }: Socket): number =>
  [...open].filter((socket) => socket.remoteAddress === remoteAddress).length;

/** One connection: messages one after the other, each answered before the next is read. */
async function speak(ctx: Ctx, receive: Receive, socket: Socket): Promise<void> {
  const speakers = await findSpeakers(ctx, socket);
  if (speakers.length === 0) {
    ctx.log.warn(NOBODY);
    return void socket.destroy();
  }
  socket.setTimeout(IDLE_MS, () => socket.destroy());
  const reader = openFrameReader(MOST.bytes);
  let late: NodeJS.Timeout | undefined;
  try {
    for await (const bytes of socket as AsyncIterable<Buffer>) {
      for (const content of reader.push(bytes)) {
        for (const answer of await answersTo(ctx, receive, speakers, content)) await writeFrame(socket, answer);
      }
      if (!reader.isWithin()) {
        clearTimeout(late);
        late = undefined;
      } else late ??= setTimeout(() => socket.destroy(), MESSAGE_MS);
    }
  } catch (error) {
    const lab = speakers[0]?.slug;
    const { code } = error as { code?: unknown };
    if (typeof code === 'string') ctx.log.warn({ lab, reason: code }, 'a laboratory broke off');
    else ctx.log.error({ lab, err: error }, 'a message of a laboratory was not taken');
  } finally {
    clearTimeout(late);
    socket.destroy();
  }
}

/** The laboratories whose networks the address lies in. */
async function findNeighbours(ctx: Ctx, { remoteAddress = '' }: Socket): Promise<Connection[]> {
  const connections = await findConnections(ctx);
  return connections.filter(({ settings: { results } }) =>
    networksPolicy(results.networks ?? []).isAllowed(remoteAddress),
  );
}

/** Those of them that name no certificate, or the one that was shown. */
async function findSpeakers(ctx: Ctx, socket: Socket): Promise<Connection[]> {
  const shown = 'getPeerCertificate' in socket ? (socket as TLSSocket).getPeerCertificate().fingerprint256 : undefined;
  const neighbours = await findNeighbours(ctx, socket);
  return neighbours.filter(
    ({ settings: { results } }) => results.certificate_sha256 === undefined || results.certificate_sha256 === shown,
  );
}
