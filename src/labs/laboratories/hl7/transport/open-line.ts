import type { Socket } from 'node:net';
import { readFile } from 'node:fs/promises';
import { decode, encode, type Charset } from '@phial/hl7/encoding';
import { NotAnswered, openMllpClient, type Take } from '@phial/hl7/mllp-client';
import { parse } from '@phial/hl7/parse';
import type { Owner } from '../../../../fair/round-robin.ts';
import type { Logger } from '../../../../log.ts';
import { networksPolicy } from '../../../../outbound/address-policy.ts';
import { openSocket } from '../../../../outbound/open-socket.ts';
import { readReply, type Reply } from '../messages/read-reply.ts';
import type { Settings } from '../connections/connection-settings.ts';

/** All teams share the connections to laboratories, so we count these connections under an owner that is no team. */
const LABORATORIES: Owner = { org: 'laboratories', team: 'laboratories' };

/** Thrown if no valid reply came. `reached` is true if we sent the message, and false if we could not send it. */
export class LineFailed extends Error {
  readonly code: string;
  readonly reached: boolean;

  constructor(code: string, reached: boolean) {
    super(`the laboratory gave no answer: ${code}`);
    this.code = code;
    this.reached = reached;
  }
}

/**
 * An open connection to a laboratory. Only one message at a time waits for its reply. A reply names the control id of
 * its message.
 */
export type Line = {
  send: (message: string, controlId: string) => Promise<Reply>;
  /**
   * The caller calls this when it has recorded the last reply. From then until the next `send`, we handle messages that
   * the laboratory sends by itself.
   */
  release: () => void;
  isOpen: () => boolean;
  close: () => void;
};

type Mllp = NonNullable<Settings['orders']['mllp']>;
const CONNECT_MS = 10_000;

/** Opens a connection. If `take` is null, we ignore messages that are not replies. */
export async function openLine(
  mllp: Mllp,
  { charset, take, log }: { charset: Charset; take: Take | null; log: Logger },
): Promise<Line> {
  const { send, release, isOpen, close } = openMllpClient(await connect(mllp), {
    responseMs: (mllp.answer_seconds ?? 30) * 1000,
    take,
    onError: (err) => log.error({ err }, 'a message that a laboratory sent on our connection could not be handled'),
  });
  return {
    send: (message, controlId) =>
      send(encode(message, charset), (content) => responseTo(content, charset, controlId)).catch((error: unknown) => {
        throw error instanceof NotAnswered ? new LineFailed(error.code, true) : error;
      }),
    release,
    isOpen,
    close,
  };
}

async function connect({ host, port, networks, tls }: Mllp): Promise<Socket> {
  try {
    const read = (path: string | undefined): Promise<string | undefined> =>
      path === undefined ? Promise.resolve(undefined) : readFile(path, 'utf8');
    const [ca, cert, key] = await Promise.all([tls?.ca_file, tls?.certificate_file, tls?.key_file].map(read));
    const files = {
      ...(ca === undefined ? {} : { ca }),
      ...(cert === undefined ? {} : { cert }),
      ...(key === undefined ? {} : { key }),
      ...(tls?.server_name === undefined ? {} : { serverName: tls.server_name }),
    };
    // We connect only to the networks that the operator named. They may be private networks.
    const policy = networksPolicy(networks);
    return await openSocket({
      host,
      port,
      policy,
      share: LABORATORIES,
      timeoutMs: CONNECT_MS,
      tls: tls ? files : null,
    });
  } catch (error) {
    const { code } = error as { code?: unknown };
    throw new LineFailed(typeof code === 'string' ? code.toLowerCase() : 'broken', false);
  }
}

function responseTo(content: Buffer, charset: Charset, controlId: string): Reply | null {
  try {
    const reply = readReply(parse(decode(content, charset)));
    return reply?.controlId === controlId ? reply : null;
  } catch {
    return null;
  }
}
