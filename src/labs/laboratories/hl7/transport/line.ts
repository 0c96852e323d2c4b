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
import type { Settings } from '../connections/settings.ts';

/** Of all teams that order there. */
const LABORATORIES: Owner = { org: 'laboratories', team: 'laboratories' };

/** No answer that counts came. `reached`: the message was sent on a connection to the laboratory. */
export class LineFailed extends Error {
  readonly code: string;
  readonly reached: boolean;

  constructor(code: string, reached: boolean) {
    super(`the laboratory gave no answer: ${code}`);
    this.code = code;
    this.reached = reached;
  }
}

/** An open connection to a laboratory: one message is under way at a time, and its answer is the one that names it. */
export type Line = {
  send: (message: string, controlId: string) => Promise<Reply>;
  /** The last answer is recorded: other messages of the laboratory are taken until something is sent again. */
  release: () => void;
  isOpen: () => boolean;
  close: () => void;
};

type Mllp = NonNullable<Settings['orders']['mllp']>;
const CONNECT_MS = 10_000;

/** `take` is null where only answers are taken. */
export async function openLine(
  mllp: Mllp,
  { charset, take, log }: { charset: Charset; take: Take | null; log: Logger },
): Promise<Line> {
  const { send, release, isOpen, close } = openMllpClient(await connect(mllp), {
    answerMs: (mllp.answer_seconds ?? 30) * 1000,
    take,
    onError: (err) => log.error({ err }, 'a message that a laboratory sent on our connection was not taken'),
  });
  return {
    send: (message, controlId) =>
      send(encode(message, charset), (content) => answerTo(content, charset, controlId)).catch((error: unknown) => {
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
    // Where an operator said alone, which may be within a private network.
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

function answerTo(content: Buffer, charset: Charset, controlId: string): Reply | null {
  try {
    const reply = readReply(parse(decode(content, charset)));
    return reply?.controlId === controlId ? reply : null;
  } catch {
    return null;
  }
}
