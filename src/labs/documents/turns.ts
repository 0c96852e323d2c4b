import { setImmediate } from 'node:timers/promises';
import { AppError } from '../../errors.ts';

/** Of one team; at a tenth of a second each, a client has given up on what would come later. */
const MOST_WAITING = 50;

/** Making a document keeps the process busy for some 50 ms, so one is made at a time, and teams take turns. */
const waiting = new Map<string, (() => void)[]>();
let busy = false;

export type GiveWay = () => Promise<void>;

/**
 * Makes a document when the team's turn comes; throws not_ready where too many of the team wait. One of many pages gives way
 * between them: then other teams' turns come first.
 */
export async function inTurn<T>(teamId: string, make: (giveWay: GiveWay) => Promise<T>): Promise<T> {
  const own = waiting.get(teamId) ?? [];
  if (own.length >= MOST_WAITING)
    throw new AppError(
      'not_ready',
      'Too many documents of this team are being made here. Ask for this one again shortly.',
    );
  if (busy) {
    waiting.set(teamId, own);
    await new Promise<void>((resolve) => own.push(resolve));
  }
  busy = true;
  try {
    return await make(() => giveWay(teamId));
  } finally {
    next();
  }
}

async function giveWay(teamId: string): Promise<void> {
  await setImmediate();
  if (waiting.size === 0) return;
  const own = waiting.get(teamId) ?? [];
  const back = new Promise<void>((resolve) => own.unshift(resolve));
  waiting.set(teamId, own);
  next();
  await back;
}

/** The team that waited longest for a turn goes behind the others. */
function next(): void {
  const [first] = waiting;
  if (!first) {
    busy = false;
    return;
  }
  const [teamId, own] = first;
  const go = own.shift();
  waiting.delete(teamId);
  if (own.length > 0) waiting.set(teamId, own);
  go?.();
}
