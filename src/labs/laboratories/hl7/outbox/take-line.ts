// Manages the connections on which we send orders. Some laboratories first confirm that they stored an order, and
// report the outcome later (HL7's enhanced mode). The outcome may come on the same connection instead of on our port.
// So a connection stays open after the last order while an outcome is missing.
import { textAt } from '@phial/hl7/message';
import type { Take } from '@phial/hl7/mllp-client';
import { parseHeader } from '@phial/hl7/parse';
import type { Ctx } from '../../../../context.ts';
import type { Connection } from '../connections/find-connection.ts';
import { openInbox } from '../open-inbox.ts';
import { acknowledgeFrame } from '../transport/acknowledge-frame.ts';
import { LineFailed, openLine, type Line } from '../transport/open-line.ts';

type OpenLine = { line: Line; settings: string; end: () => void };

/** The open connections of a process, by laboratory. */
const openLines = new WeakMap<Ctx, Map<number, OpenLine>>();

function linesOf(ctx: Ctx): Map<number, OpenLine> {
  const lines = openLines.get(ctx) ?? new Map<number, OpenLine>();
  openLines.set(ctx, lines);
  return lines;
}

/**
 * Returns the open connection to a laboratory if it matches the current settings, or else a new connection. Throws
 * LineFailed.
 */
export async function takeLine(ctx: Ctx, connection: Connection): Promise<Line> {
  const { mllp, acknowledgments } = connection.settings.orders;
  const known = linesOf(ctx).get(connection.lab_id);
  if (known) {
    known.end();
    if (known.line.isOpen() && known.settings === settingsOf(connection)) return known.line;
    known.line.close();
  }
  if (!mllp) throw new LineFailed('not_configured', false);
  return openLine(mllp, {
    charset: connection.settings.charset ?? 'UTF-8',
    take: acknowledgments === 'enhanced' ? takeFrom(ctx, connection) : null,
    log: ctx.log,
  });
}

export function leaveLine(ctx: Ctx, connection: Connection, line: Line): void {
  const { acknowledgments, mllp } = connection.settings.orders;
  if (acknowledgments !== 'enhanced' || !line.isOpen() || ctx.stopping?.aborted) return line.close();
  const lines = linesOf(ctx);
  const end = (): void => {
    clearTimeout(timer);
    ctx.stopping?.removeEventListener('abort', close);
    lines.delete(connection.lab_id);
  };
  const close = (): void => {
    end();
    line.close();
  };
  const timer = setTimeout(close, (mllp?.answer_seconds ?? 30) * 1000);
  ctx.stopping?.addEventListener('abort', close);
  lines.set(connection.lab_id, { line, settings: settingsOf(connection), end });
}

const settingsOf = ({ settings }: Connection): string => JSON.stringify(settings);

/**
 * Returns a function that handles messages of the laboratory on this connection like messages that arrive on our port.
 * If both sides replied to every acknowledgment, they would never stop. So we reply to an acknowledgment only if it
 * asks for a reply.
 */
function takeFrom(ctx: Ctx, connection: Connection): Take {
  const receive = openInbox(ctx);
  return async (content) => {
    const header = parseHeader(content.toString('latin1')) ?? undefined;
    const acks = await acknowledgeFrame(ctx, receive, [connection], content);
    return textAt(header, 9) === 'ACK' && textAt(header, 15) !== 'AL' ? [] : acks;
  };
}
