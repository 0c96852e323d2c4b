import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Webhook } from 'svix';
import { connectScheduler } from '../src/labs/schedulers/connect-scheduler.ts';
import { readSchedulerFile } from '../src/labs/schedulers/scheduler-settings.ts';
import type { TestApp } from './test-app.ts';

/** A request that the scheduler received: the path behind its base URL, the id of the request, and the body. */
type Question = { path: string; id: string; body: Record<string, unknown> };
type Reply = { status: number; json?: unknown; text?: string; wait?: Promise<void> };

export type StandInScheduler = {
  url: string;
  secretFile: string;
  asked: Question[];
  /** Requests whose signature the svix package refused. */
  unsigned: number;
  /** Sets all further answers. Null restores the normal behaviour. */
  play: (answer: ((question: Question) => Reply | null) | null) => void;
  /** Its bookings, by our id. */
  booked: Map<string, Record<string, unknown>>;
  /** Sends the service an update of an appointment, signed by the svix package. Returns the status and code. */
  sendUpdate: (
    app: TestApp,
    update: object,
    how?: { secret?: string; provider?: string; raw?: string },
  ) => Promise<string>;
  close: () => Promise<void>;
};

export const newSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;

/** The offered slots: at nine and at ten in UTC of each requested day, at each site. */
function slotsOf(body: Record<string, unknown>): object[] {
  const sites = (body['sites'] as { site_code: string }[] | undefined) ?? [{ site_code: undefined }];
  const slots: object[] = [];
  for (let day = Date.parse(body['from'] as string); day <= Date.parse(body['to'] as string); day += 86_400_000)
    for (const hour of [17, 18])
      for (const { site_code } of sites) {
        const start = day + hour * 3_600_000;
        slots.push({
          slot_id: `${site_code ?? 'visit'}-${start}`,
          start: new Date(start).toISOString(),
          end: new Date(start + 3_600_000).toISOString(),
          ...(site_code === undefined ? {} : { site_code }),
          price: 12.5,
          available: 2,
        });
      }
  return slots;
}

/** A scheduler with the interface of docs/guides/connect-a-scheduler.md, over a real socket. */
export async function startScheduler(): Promise<StandInScheduler> {
  const secret = newSecret();
  const folder = mkdtempSync(join(tmpdir(), 'scheduler-'));
  const secretFile = join(folder, 'secret');
  writeFileSync(secretFile, `${secret}\n`);
  const asked: Question[] = [];
  const booked = new Map<string, Record<string, unknown>>();
  let play: ((question: Question) => Reply | null) | null = null;
  const standIn = { unsigned: 0 };

  const byItself = ({ path, body }: Question): Reply => {
    if (path === 'availability') return { status: 200, json: { slots: slotsOf(body) } };
    const id = body['appointment_id'] as string;
    if (path.endsWith('/cancel')) {
      if (!booked.delete(id)) return { status: 404, json: { code: 'unknown_appointment' } };
      return { status: 200, json: { status: 'cancelled' } };
    }
    if (path.endsWith('/reschedule') && !booked.has(id)) return { status: 404, json: { code: 'unknown_appointment' } };
    const isTaken = [...booked].some(([other, { slot_id }]) => other !== id && slot_id === body['slot_id'] && slot_id);
    if (isTaken) return { status: 409, json: { code: 'slot_taken' } };
    booked.set(id, { ...booked.get(id), ...body });
    const status = body['slot_id'] === null ? 'pending' : 'confirmed';
    return {
      status: 200,
      json: { status, external_id: `EXT-${id.slice(-6)}`, start: body['start'], end: body['end'] },
    };
  };

  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString('utf8');
    try {
      new Webhook(secret).verify(text, request.headers as Record<string, string>);
    } catch {
      standIn.unsigned += 1;
      response.writeHead(401).end();
      return;
    }
    const question: Question = {
      path: (request.url as string).slice('/phial/'.length),
      id: request.headers['webhook-id'] as string,
      body: JSON.parse(text) as Record<string, unknown>,
    };
    asked.push(question);
    const reply = play?.(question) ?? byItself(question);
    await reply.wait;
    response.writeHead(reply.status, { 'content-type': 'application/json' });
    response.end(reply.text ?? JSON.stringify(reply.json ?? {}));
  };
  const server = createServer((request, response) => void take(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/phial`,
    secretFile,
    asked,
    booked,
    get unsigned() {
      return standIn.unsigned;
    },
    play: (answer) => {
      play = answer;
    },
    sendUpdate: async (app, update, { secret: by = secret, provider = 'getlabs', raw } = {}) => {
      const body = raw ?? JSON.stringify(update);
      const id = `msg_${randomBytes(8).toString('hex')}`;
      const at = new Date();
      const answer = await fetch(`${app.baseUrl}/hooks/scheduler/${provider}`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'webhook-id': id,
          'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
          'webhook-signature': new Webhook(by).sign(id, at, body),
        },
        body,
      });
      const refusal = (await answer.json()) as { code?: string };
      return `${answer.status}${refusal.code === undefined ? '' : ` ${refusal.code}`}`;
    },
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        rmSync(folder, { recursive: true });
        server.closeAllConnections();
      }),
  };
}

/** Connects a scheduler to the service, as an operator does. */
export async function connectStandIn(
  app: TestApp,
  scheduler: StandInScheduler,
  changes: Record<string, unknown> = {},
): Promise<void> {
  const { url, secretFile } = scheduler;
  const file = {
    provider: 'getlabs',
    name: 'Saguaro Mobile Draws',
    http: { url, secret_file: secretFile, networks: ['127.0.0.1/32'], answer_seconds: 1 },
    ...changes,
  };
  const read = readSchedulerFile(JSON.stringify(file));
  if ('problems' in read) throw new Error(read.problems.join('\n'));
  await connectScheduler(app.databaseUrl, read.settings);
}
