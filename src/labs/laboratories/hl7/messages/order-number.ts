// Numbers for orders and patients at laboratories. A laboratory's field holds 22 characters, and our ids have 36.

const LETTERS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const DIGITS = 7;

/**
 * Writes the number of an order: `P`, a counter in base 32, and a check letter. With a typing error the check letter is
 * wrong, so the number is invalid.
 */
export const orderNumber = (counter: bigint): string => numbered('P', counter);

/**
 * Writes the number of a patient in the same way, but with `U` in front. It has 9 characters, so it fits into a
 * laboratory's field for patient numbers, which holds 15.
 */
export const patientNumber = (counter: bigint): string => numbered('U', counter);

function numbered(first: string, counter: bigint): string {
  let digits = '';
  for (let rest = counter; rest > 0n; rest /= 32n) digits = LETTERS[Number(rest % 32n)] + digits;
  const padded = digits.padStart(DIGITS, '0');
  return `${first}${padded}${checkLetter(padded)}`;
}

type OrderNumber = {
  number: string;
  /** The position of the test in the order, from 1; null if the number names the entire order. */
  position: number | null;
};

/**
 * Reads one of our numbers from a field of a laboratory's message. A suffix such as `-2` names a test of the order.
 * Returns null for a text that cannot be a number of ours.
 */
export function readOrderNumber(text: string): OrderNumber | null {
  const [, number, digits, check, position] =
    /^(P([0-9A-HJKMNP-TV-Z]{7,13})([0-9A-HJKMNP-TV-Z]))(?:-(\d{1,3}))?$/.exec(text.trim().toUpperCase()) ?? [];
  if (number === undefined || checkLetter(digits as string) !== check) return null;
  return { number, position: position === undefined ? null : Number(position) };
}

/**
 * Returns the check letter. Each position has its own weight. So the letter reveals a single wrong character and two
 * exchanged characters, unless somebody confuses 0 and Z.
 */
function checkLetter(digits: string): string {
  const sum = [...digits].reduce((total, letter, at) => total + LETTERS.indexOf(letter) * (at * 2 + 3), 0);
  return LETTERS[sum % 31] as string;
}
