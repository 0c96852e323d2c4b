import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

export type NameServer = {
  /** The address in the format of PHIAL_DOMAIN_NAME_SERVERS. */
  address: string;
  /** Texts by name. Other names do not exist. */
  texts: Map<string, string[]>;
  /** The queried names, in order. */
  asked: string[];
  /** While true, the server does not answer. */
  silent: boolean;
  close: () => void;
};

/** A name server that knows TXT records only (RFC 1035 4.1). */
export async function startNameServer(): Promise<NameServer> {
  const socket = createSocket('udp4', (question, { port, address }) => {
    const name = nameIn(question);
    server.asked.push(name);
    if (!server.silent) socket.send(responseTo(question, server.texts.get(name)), port, address);
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

/** With a pointer to the name of the question, and texts in chunks of at most 255 bytes. */
function responseTo(question: Buffer, texts: string[] | undefined): Buffer {
  const end = question.indexOf(0, HEADER_BYTES) + 5;
  const header = Buffer.from(question.subarray(0, end));
  header.writeUInt16BE(texts ? 0x8180 : 0x8183, 2);
  header.writeUInt16BE(texts?.length ?? 0, 6);
  header.writeUInt32BE(0, 8);
  const records = (texts ?? []).map((text) => {
    const characterStrings = Buffer.concat(
      (text.match(/.{1,255}/g) ?? ['']).map((characterString) =>
        Buffer.from(`${String.fromCharCode(characterString.length)}${characterString}`, 'latin1'),
      ),
    );
    const record = Buffer.alloc(12);
    record.writeUInt16BE(0xc00c, 0);
    record.writeUInt16BE(16, 2);
    record.writeUInt16BE(1, 4);
    record.writeUInt32BE(60, 6);
    record.writeUInt16BE(characterStrings.length, 10);
    return Buffer.concat([record, characterStrings]);
  });
  return Buffer.concat([header, ...records]);
}
