/** For the greeting and whatever is said beside confirms, as that memory is short; nobody may save up more. */
export const MOST_BYTES = 16_384;
/** Signs of life: one of 8 bytes each half second at the most that we agree to. */
const BYTES_A_SECOND = 64;
/** A confirm has 21. */
const BYTES_A_MESSAGE = 64;

export type Allowance = {
  /** The broker has as many confirms more to say. */
  published: (messages: number) => void;
  /** False where it has said more than it had to. */
  spend: (bytes: number) => boolean;
};

/** How much a broker may say, so that one that never stops takes no more of the process than its team's events are worth. */
export function openAllowance(now: () => number = () => performance.now()): Allowance {
  let left = MOST_BYTES;
  let countedAt = now();
  return {
    published: (messages) => {
      left = Math.min(left, MOST_BYTES) + messages * BYTES_A_MESSAGE;
    },
    spend: (bytes) => {
      const at = now();
      const gained = ((at - countedAt) / 1000) * BYTES_A_SECOND;
      countedAt = at;
      left = Math.max(left, Math.min(MOST_BYTES, left + gained)) - bytes;
      return left >= 0;
    },
  };
}
