import { createServer, type AddressInfo, type Socket } from 'node:net';

type Received = { from: string; to: string[]; headers: Record<string, string>; text: string };

export type MailStandIn = {
  url: string;
  letters: Received[];
  /**
   * The answer to a command, such as `550 No such person`. Null means the usual answer, undefined closes the
   * connection.
   */
  answer: (how: ((command: string) => string | null) | null) => void;
  close: () => Promise<void>;
};

/** A mail server that accepts and stores every mail. It follows the dialogue of RFC 5321. */
export async function startMailServer(): Promise<MailStandIn> {
  const letters: Received[] = [];
  const open = new Set<Socket>();
  let other: ((command: string) => string | null) | null = null;
  const server = createServer((socket) => {
    open.add(socket);
    socket.on('close', () => open.delete(socket)).on('error', () => undefined);
    let rest = '';
    let data: string[] | null = null;
    let envelope: { from: string; to: string[] } = { from: '', to: [] };
    const say = (line: string): void => void socket.write(`${line}\r\n`);
    const take = (line: string): void => {
      if (data) {
        if (line !== '.') return void data.push(line.replace(/^\.\./, '.'));
        letters.push({ ...envelope, ...parsed(data) });
        data = null;
        return say('250 Kept');
      }
      const refusal = other?.(line) ?? null;
      const [, address = ''] = /<([^>]*)>/.exec(line) ?? [];
      if (refusal === '') return void socket.destroy();
      if (refusal !== null) return say(refusal);
      if (/^MAIL/i.test(line)) envelope = { from: address, to: [] };
      if (/^RCPT/i.test(line)) envelope.to.push(address);
      if (/^DATA/i.test(line)) {
        data = [];
        return say('354 Go on');
      }
      if (/^QUIT/i.test(line)) return void socket.end('221 Bye\r\n');
      say('250 OK');
    };
    say('220 stand-in');
    socket.on('data', (bytes) => {
      const lines = (rest + bytes.toString('latin1')).split('\r\n');
      rest = lines.pop() ?? '';
      for (const line of lines) take(line);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `smtp://127.0.0.1:${port}`,
    letters,
    answer: (how) => {
      other = how;
    },
    close: () =>
      new Promise((resolve) => {
        for (const socket of open) socket.destroy();
        server.close(() => resolve());
      }),
  };
}

/** Decodes headers, and the text by its transfer encoding (RFC 2045). */
function parsed(lines: string[]): { headers: Record<string, string>; text: string } {
  const end = lines.indexOf('');
  const head = lines
    .slice(0, end)
    .join('\r\n')
    .replaceAll(/\r\n[ \t]+/g, ' ');
  const headers = Object.fromEntries(
    head
      .split('\r\n')
      .map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  );
  const body = lines.slice(end + 1).join('\n');
  const encoding = headers['content-transfer-encoding'];
  const bytes =
    encoding === 'base64'
      ? Buffer.from(body, 'base64')
      : encoding === 'quoted-printable'
        ? Buffer.from(
            body
              .replaceAll(/=\n/g, '')
              .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16))),
            'latin1',
          )
        : Buffer.from(body, 'latin1');
  return { headers, text: bytes.toString('utf8') };
}
