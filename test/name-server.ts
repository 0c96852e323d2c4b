import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

export type NameServer = {
  /** As PHIAL_DOMAIN_NAME_SERVERS takes it. */
  address: string;
  /** Texts by name; a name that is not there does not exist. */
  texts: Map<string, string[]>;
  /** Names that were asked for, in order. */
  asked: string[];
  /** While true, nobody answers. */
  silent: boolean;
  close: () => void;
};

/** A name server that knows TXT records alone (RFC 1035 4.1). */
export async function startNameServer(): Promise<NameServer> {
  const socket = createSocket('udp4', (question, { port, address }) => {
    const name = nameIn(question);
    server.asked.push(name);
    if (!server.silent) socket.send(answerTo(question, server.texts.get(name)), port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const { port } = socket.address() as AddressInfo;
  const server: NameServer = {
    address: `127.0.0.1:${port}`,
    texts: new Map(),
    asked: [],
    silent: false,
    close: () => socket.close(),
  };
  return server;
}

const HEADER_BYTES = 12;

function nameIn(question: Buffer): string {
  const labels: string[] = [];
  for (let at = HEADER_BYTES; question[at] !== 0; at += (question[at] as number) + 1)
    labels.push(question.toString('latin1', at + 1, at + 1 + (question[at] as number)));
  return labels.join('.').toLowerCase();
}

/** With a pointer to the question's name, and texts in pieces of at most 255 bytes. */
function answerTo(question: Buffer, texts: string[] | undefined): Buffer {
  const end = question.indexOf(0, HEADER_BYTES) + 5;
  const header = Buffer.from(question.subarray(0, end));
  header.writeUInt16BE(texts ? 0x8180 : 0x8183, 2);
  header.writeUInt16BE(texts?.length ?? 0, 6);
  header.writeUInt32BE(0, 8);
  const records = (texts ?? []).map((text) => {
    const pieces = Buffer.concat(
      (text.match(/.{1,255}/g) ?? ['']).map((piece) =>
        Buffer.from(`${String.fromCharCode(piece.length)}${piece}`, 'latin1'),
      ),
    );
    const record = Buffer.alloc(12);
    record.writeUInt16BE(0xc00c, 0);
    record.writeUInt16BE(16, 2);
    record.writeUInt16BE(1, 4);
    record.writeUInt32BE(60, 6);
    record.writeUInt16BE(pieces.length, 10);
    return Buffer.concat([record, pieces]);
  });
  return Buffer.concat([header, ...records]);
}
