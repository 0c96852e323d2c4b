import { createTransport } from 'nodemailer';

export type Letter = { to: string; subject: string; text: string };

export type MailServer = {
  /** Throws MailRefused, whose words quote nothing of the letter. */
  send: (letter: Letter, id: string) => Promise<void>;
  close: () => void;
};

/** Why a letter was not taken. */
export class MailRefused extends Error {
  /** True where the same letter would be refused again. */
  readonly forGood: boolean;
  /** True where no letter goes now: the server is away, or does not know us. */
  readonly forAll: boolean;

  constructor(code: string, { forGood, forAll }: { forGood: boolean; forAll: boolean }) {
    super(code);
    this.name = 'MailRefused';
    this.forGood = forGood;
    this.forAll = forAll;
  }
}

type Options = {
  url: string;
  from: string;
  /** No letter goes unencrypted, but to this machine itself. */ needsTls: boolean;
};

/**
 * The operator's mail server, which may stand within a private network: its address is an option, and nobody else's choice.
 * A letter has the same Message-ID whenever it is sent again, by which servers and readers know it.
 */
export function openMailServer({ url, from, needsTls }: Options): MailServer {
  const { hostname } = new URL(url);
  const isLocal = /^(localhost|127\.[\d.]+|\[::1\])$/.test(hostname);
  const transport = createTransport({
    url,
    pool: true,
    maxConnections: 1,
    requireTLS: needsTls && !isLocal,
    connectionTimeout: 10_000,
    greetingTimeout: 10_000,
    socketTimeout: 30_000,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  const host = from.split('@')[1] as string;
  return {
    async send({ to, subject, text }, id) {
      try {
        await transport.sendMail({
          from,
          // As an object an address is never read as a list of several.
          to: { name: '', address: to },
          subject,
          text,
          messageId: `<${id}@${host}>`,
          headers: { 'Auto-Submitted': 'auto-generated' },
        });
      } catch (error) {
        throw refusalOf(error);
      }
    },
    close: () => transport.close(),
  };
}

/** What the library and the server say may quote the letter: only the kind of error and the server's code go on. */
function refusalOf(error: unknown): MailRefused {
  const { code, responseCode } = error as { code?: unknown; responseCode?: unknown };
  const kind = typeof code === 'string' && /^[A-Z]{2,20}$/.test(code) ? code : 'UNKNOWN';
  const status = typeof responseCode === 'number' ? responseCode : null;
  const isOfLetter = kind === 'EENVELOPE' || kind === 'EMESSAGE';
  return new MailRefused(status === null ? kind : `${kind} ${status}`, {
    forGood: isOfLetter && status !== null && status >= 500,
    forAll: !isOfLetter,
  });
}
