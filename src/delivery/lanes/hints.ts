import { TransientMap } from '../../transient-map.ts';

const MOST_LANES = 20_000;
/** What is told of a lane beyond it is read from the queue, a batch at a time. */
const MOST_EVENTS = 16;
/** Ids of receivers with commas between them, each alone or with an event's behind it. */
const PAYLOAD = /^[0-9a-f-]{36}(\/[0-9a-f-]{36})?(,[0-9a-f-]{36}(\/[0-9a-f-]{36})?)*$/;

/** What notifications of DELIVERIES_CHANNEL told of lanes and nobody looked at yet. */
export class Hints {
  /** By receiver: the events that were queued, or null where only the queue knows. */
  readonly all = new TransientMap<string, string[] | null>();

  /** False where it tells of any lane, in words of another version, or of more than are kept in mind: all have to be looked at. */
  add(payload: string): boolean {
    if (this.all.size > MOST_LANES || !PAYLOAD.test(payload)) return false;
    // A part of a text keeps the whole in memory.
    for (const told of payload.split(',')) {
      const [id = '', eventId] = told.split('/').map((part) => Buffer.from(part, 'latin1').toString('latin1'));
      const known = this.all.get(id);
      if (eventId === undefined || known === null || known?.length === MOST_EVENTS) this.all.set(id, null);
      else if (known) known.push(eventId);
      else this.all.set(id, [eventId]);
    }
    return true;
  }

  forget(id: string): void {
    this.all.delete(id);
  }
}
