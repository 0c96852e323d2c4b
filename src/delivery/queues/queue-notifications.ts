import { TransientMap } from '../../transient-map.ts';

const MAX_QUEUES = 20_000;
/**
 * The most events of one queue that we remember. If there are more, the worker reads them from the table, many in one
 * read.
 */
const MAX_EVENTS = 16;
/** Endpoint ids, separated by commas. Each may be followed by a slash and the id of an event. */
const PAYLOAD = /^[0-9a-f-]{36}(\/[0-9a-f-]{36})?(,[0-9a-f-]{36}(\/[0-9a-f-]{36})?)*$/;

/** The endpoint queues that notifications of DELIVERIES_CHANNEL named and that the worker has not handled yet. */
export class QueueNotifications {
  /**
   * The queued events, by endpoint id. Null means that events are missing here, so the worker must read them from the
   * table.
   */
  readonly all = new TransientMap<string, string[] | null>();

  /**
   * Adds the payload of a notification. Returns false if it names no queues, has the format of another version, or does
   * not fit into memory. The worker must then read all queues.
   */
  add(payload: string): boolean {
    if (this.all.size > MAX_QUEUES || !PAYLOAD.test(payload)) return false;
    // We copy each id, because a substring would keep the complete payload in memory.
    for (const entry of payload.split(',')) {
      const [id = '', eventId] = entry.split('/').map((part) => Buffer.from(part, 'latin1').toString('latin1'));
      const known = this.all.get(id);
      if (eventId === undefined || known === null || known?.length === MAX_EVENTS) this.all.set(id, null);
      else if (known) known.push(eventId);
      else this.all.set(id, [eventId]);
    }
    return true;
  }

  forget(id: string): void {
    this.all.delete(id);
  }
}
