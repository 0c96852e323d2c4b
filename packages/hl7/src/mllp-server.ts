// The side of a connection that takes messages and answers each.
import { createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer } from 'node:tls';
import { MOST } from './message.ts';
import { openFrameReader } from './mllp-frames.ts';
import { writeFrame } from './write-frame.ts';

/** Of the server, and of one address, from before anything was said: a peer needs one connection, or a few. */
const MOST_CONNECTIONS = 64;
const MOST_OF_ADDRESS = 16;
/** Peers keep their connection open; one that is gone without a word is noticed by then. */
const IDLE_MS = 30 * 60_000;
/** From the first byte of a message to its last. */
const MESSAGE_MS = 60_000;
const HANDSHAKE_MS = 10_000;

export type Peer = {
  /** Takes a message and returns what it is answered. */
  take: (content: Buffer) => Promise<Buffer[]>;
  /** The connection ends because of this error: of the socket or the frames, which bear a `code`, or of `take`. */
  onError: (error: unknown) => void;
};

export type MllpServerOptions = {
  host: string;
  port: number;
  /** In PEM. With `ca` peers have to show a certificate that it signed. */
  tls: { cert: Buffer; key: Buffer; ca: Buffer | null } | null;
  /** Whether anybody may speak from this address; asked before a TLS handshake. */
  admit: (socket: Socket) => Promise<boolean>;
  /** Who speaks on an admitted connection, which is a TLSSocket with `tls`. Null closes it. */
  identify: (socket: Socket) => Promise<Peer | null>;
  /** A connection was given up before anybody was identified on it. */
  onError: (error: unknown) => void;
};

export type MllpServer = { port: number; close: () => Promise<void> };

/** Listens until closed. */
export async function listenByMllp(options: MllpServerOptions): Promise<MllpServer> {
  const { host, port, tls, admit, identify, onError } = options;
  const open = new Set<Socket>();
  const guarded =
    (next: (socket: Socket) => unknown) =>
    (socket: Socket): void => {
      socket.on('error', () => socket.destroy());
      void (async () => next(socket))().catch((error: unknown) => {
        onError(error);
        socket.destroy();
      });
    };
  const begin = guarded(async (socket) => {
    const peer = await identify(socket);
    if (peer === null) return void socket.destroy();
    await speak(socket, peer);
  });
  const handshakes = tls
    ? createTlsServer(
        {
          cert: tls.cert,
          key: tls.key,
          ...(tls.ca === null ? {} : { ca: tls.ca, requestCert: true, rejectUnauthorized: true }),
          handshakeTimeout: HANDSHAKE_MS,
        },
        begin,
      )
    : null;
  handshakes?.on('tlsClientError', () => undefined); // the connection is closed by then
  // A peer that may not speak here occupies no connection, and one address never all of them.
  const accept = guarded(async (socket) => {
    if (ofAddress(open, socket) >= MOST_OF_ADDRESS) return void socket.destroy();
    open.add(socket);
    socket.once('close', () => open.delete(socket));
    if (!(await admit(socket))) return void socket.destroy();
    if (handshakes) handshakes.emit('connection', socket);
    else begin(socket);
  });
  const server: Server = createTcpServer(accept);
  server.maxConnections = MOST_CONNECTIONS;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ host, port }, resolve);
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
async function speak(socket: Socket, { take, onError }: Peer): Promise<void> {
  socket.setTimeout(IDLE_MS, () => socket.destroy());
  const reader = openFrameReader(MOST.bytes);
  let late: NodeJS.Timeout | undefined;
  try {
    for await (const bytes of socket as AsyncIterable<Buffer>) {
      for (const content of reader.push(bytes)) {
        for (const answer of await take(content)) await writeFrame(socket, answer);
      }
      if (!reader.isWithin()) {
        clearTimeout(late);
        late = undefined;
      } else late ??= setTimeout(() => socket.destroy(), MESSAGE_MS);
    }
  } catch (error) {
    onError(error);
  } finally {
    clearTimeout(late);
    socket.destroy();
  }
}
