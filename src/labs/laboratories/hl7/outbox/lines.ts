// Connections to laboratories by which orders go out. One in enhanced mode stays open after the last order, for as long as an
// answer is waited for: the laboratory may say on it, rather than on our port, what it makes of an order that it keeps.
import { textAt } from '@phial/hl7/message';
import type { Take } from '@phial/hl7/mllp-client';
import { parseHeader } from '@phial/hl7/parse';
import type { Ctx } from '../../../../context.ts';
import type { Connection } from '../connections/find-connection.ts';
import { openReceiver } from '../inbox/receive.ts';
import { answersTo } from '../transport/answer-frame.ts';
import { LineFailed, openLine, type Line } from '../transport/line.ts';

type OpenLine = { line: Line; settings: string; end: () => void };

/** Those of a process that stay open, by laboratory. */
const openLines = new WeakMap<Ctx, Map<number, OpenLine>>();

function linesOf(ctx: Ctx): Map<number, OpenLine> {
  const lines = openLines.get(ctx) ?? new Map<number, OpenLine>();
  openLines.set(ctx, lines);
  return lines;
}

/** The one that stays open, where it is as the settings are now, else a new one. Throws LineFailed. */
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

/** As on our port; but an acknowledgment is acknowledged only where it asks for that, or two of them would go on for ever. */
function takeFrom(ctx: Ctx, connection: Connection): Take {
  const receive = openReceiver(ctx);
  return async (content) => {
    const header = parseHeader(content.toString('latin1')) ?? undefined;
    const answers = await answersTo(ctx, receive, [connection], content);
    return textAt(header, 9) === 'ACK' && textAt(header, 15) !== 'AL' ? [] : answers;
  };
}
