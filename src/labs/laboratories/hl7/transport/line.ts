import type { Socket } from 'node:net';
import { readFile } from 'node:fs/promises';
import type { Owner } from '../../../../fair/round-robin.ts';
import type { Logger } from '../../../../log.ts';
import { networksPolicy } from '../../../../outbound/address-policy.ts';
import { openSocket } from '../../../../outbound/open-socket.ts';
import { encode, type Charset } from '../codec/encoding.ts';
import { decode } from '../codec/encoding.ts';
import { MOST } from '../codec/message.ts';
import { parse } from '../codec/parse.ts';
import { readReply, type Reply } from '../messages/read-reply.ts';
import type { Settings } from '../connections/settings.ts';
import { frame, openFrameReader } from './mllp-frames.ts';
import { openUnaskedFrames } from './unasked-frames.ts';
import { writeFrame } from './write-frame.ts';

/** Of all teams that order there. */
const LABORATORIES: Owner = { org: 'laboratories', team: 'laboratories' };

/** No answer that counts came; `reached` tells whether the laboratory was there to be sent to. */
export class LineFailed extends Error {
  readonly code: string;
  readonly reached: boolean;

  constructor(code: string, reached: boolean) {
    super(`the laboratory gave no answer: ${code}`);
    this.code = code;
    this.reached = reached;
  }
}

/** A kept connection to a laboratory: one message is under way at a time, and its answer is the one that names it. */
export type Line = {
  send: (message: string, controlId: string) => Promise<Reply>;
  /** The answer to what was sent is written down: other messages of the laboratory are taken until something is sent again. */
  release: () => void;
  isOpen: () => boolean;
  close: () => void;
};

/** Takes a message that is no answer to what was sent, and tells what it is answered. */
export type Hear = (content: Buffer) => Promise<Buffer[]>;

type Mllp = NonNullable<Settings['orders']['mllp']>;
const CONNECT_MS = 10_000;

/** `hear` is null where nothing but answers is taken. */
export async function openLine(
  mllp: Mllp,
  { charset, hear, log }: { charset: Charset; hear: Hear | null; log: Logger },
): Promise<Line> {
  const socket = await connect(mllp);
  const answerMs = (mllp.answer_seconds ?? 30) * 1000;
  let broken: string | null = null;
  let waiting: { hear: (content: Buffer) => boolean; fail: (code: string) => void } | null = null;
  const end = (code: string): void => {
    broken ??= code;
    socket.destroy();
    waiting?.fail(code);
  };
  const unasked =
    hear &&
    openUnaskedFrames(async (content) => {
      for (const answer of await hear(content)) await writeFrame(socket, answer);
    }, log);
  const reader = openFrameReader(MOST.bytes);
  socket.on('data', (bytes) => {
    try {
      for (const content of reader.push(bytes))
        if (!waiting?.hear(content) && unasked?.add(content) === false) end('too_many_frames');
    } catch {
      end('not_mllp');
    }
  });
  socket.on('error', () => end('closed'));
  socket.on('close', () => end('closed'));

  const send = (message: string, controlId: string): Promise<Reply> =>
    new Promise((resolve, reject) => {
      const fail = (code: string): void => {
        clearTimeout(timer);
        waiting = null;
        reject(new LineFailed(code, true));
      };
      const timer = setTimeout(() => end('no_answer'), answerMs);
      unasked?.hold();
      if (broken !== null) return fail(broken);
      waiting = {
        fail,
        hear: (content) => {
          const answer = answerTo(content, charset, controlId);
          // What names something else is no answer, as one that came too late on the connection before.
          if (answer === null) return false;
          clearTimeout(timer);
          waiting = null;
          resolve(answer);
          return true;
        },
      };
      socket.write(frame(encode(message, charset)));
    });
  return { send, release: () => unasked?.release(), isOpen: () => broken === null, close: () => end('closed') };
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
