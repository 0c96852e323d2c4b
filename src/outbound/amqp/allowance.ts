/**
 * The bytes that a broker (a message server of a team) may send at the start, for the handshake and everything else
 * except confirms. Later the broker may send more bytes each second, but never more than this number at once.
 */
export const MAX_BYTES = 16_384;
/**
 * The bytes that a broker may send in each second, for heartbeats. A heartbeat has 8 bytes, and we agree to at most two
 * in a second.
 */
const BYTES_A_SECOND = 64;
/** The bytes that a broker may send for each published message. A confirm, its receipt for a message, has 21 bytes. */
const BYTES_A_MESSAGE = 64;

export type Allowance = {
  /** Adds the bytes for the confirms of these messages. */
  published: (messages: number) => void;
  /** Subtracts bytes that the broker has sent. Returns false if it has sent more than it may. */
  spend: (bytes: number) => boolean;
};

/**
 * Limits the bytes that a broker may send. The limit grows only with the messages that we publish to it, and slowly
 * with time. Otherwise a broker that sends without end would use up the time of the process.
 */
export function openAllowance(now: () => number = () => performance.now()): Allowance {
  let left = MAX_BYTES;
  let countedAt = now();
  return {
    published: (messages) => {
      left = Math.min(left, MAX_BYTES) + messages * BYTES_A_MESSAGE;
    },
    spend: (bytes) => {
      const at = now();
      const gained = ((at - countedAt) / 1000) * BYTES_A_SECOND;
      countedAt = at;
      left = Math.max(left, Math.min(MAX_BYTES, left + gained)) - bytes;
      return left >= 0;
    },
  };
}
