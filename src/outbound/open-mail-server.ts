import { createTransport } from 'nodemailer';

export type OutgoingMail = { to: string; subject: string; text: string };

export type MailServer = {
  /** Sends a letter. Throws MailRefused, whose message quotes nothing of the letter. */
  send: (letter: OutgoingMail, id: string) => Promise<void>;
  /** Logs in and sends nothing. Throws MailRefused. */
  verify: () => Promise<void>;
  close: () => void;
};

/** The mail server did not accept a letter. */
export class MailRefused extends Error {
  /** True if the server would refuse the same letter again. */
  readonly forGood: boolean;
  /** True if no letter can be sent now, because the server is unavailable or refuses us. */
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
  /** True if every letter needs TLS. A server on this machine never needs it. */
  needsTls: boolean;
};

/**
 * Opens the connection to the operator's mail server. The server may be in a private network, because only the operator
 * chooses its address. A letter has the same Message-ID each time we send it, so that servers and mail programs
 * recognise a repetition.
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
          // We pass an object, because nodemailer might parse a string as a list of several addresses.
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
    async verify() {
      try {
        await transport.verify();
      } catch (error) {
        throw refusalOf(error);
      }
    },
    close: () => transport.close(),
  };
}

/**
 * Converts an error of the library. Error texts of the library and the server may quote the letter, so the result has
 * only the kind of the error and the status code of the server.
 */
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
