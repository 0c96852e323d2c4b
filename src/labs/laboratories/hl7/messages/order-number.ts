// Short numbers for laboratories: their fields hold 22 characters, an id of ours has 36.

const LETTERS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const DIGITS = 7;

/** The counter's value in base 32 with a check letter at the end, so that a mistyped number is none. */
export const orderNumber = (counter: bigint): string => numbered('P', counter);

/** The same of a patient: 9 letters, where a laboratory's field holds 15. */
export const patientNumber = (counter: bigint): string => numbered('U', counter);

function numbered(first: string, counter: bigint): string {
  let digits = '';
  for (let rest = counter; rest > 0n; rest /= 32n) digits = LETTERS[Number(rest % 32n)] + digits;
  const padded = digits.padStart(DIGITS, '0');
  return `${first}${padded}${checkLetter(padded)}`;
}

type OrderNumber = {
  number: string;
  /** Which test of the order is meant, from 1; null where the order is. */
  place: number | null;
};

/** The number within what a laboratory gives back: `-2` names a test of the order. Null for what we never issued. */
export function readOrderNumber(text: string): OrderNumber | null {
  const [, number, digits, check, place] =
    /^(P([0-9A-HJKMNP-TV-Z]{7,13})([0-9A-HJKMNP-TV-Z]))(?:-(\d{1,3}))?$/.exec(text.trim().toUpperCase()) ?? [];
  if (number === undefined || checkLetter(digits as string) !== check) return null;
  return { number, place: place === undefined ? null : Number(place) };
}

/** Weights that differ from place to place find any one wrong letter and any two that changed places. */
function checkLetter(digits: string): string {
  const sum = [...digits].reduce((total, letter, at) => total + LETTERS.indexOf(letter) * (at * 2 + 3), 0);
  return LETTERS[sum % 31] as string;
}
