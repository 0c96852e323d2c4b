import { domainToASCII } from 'node:url';

const LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;
const LONGEST = 253;
/**
 * What is written in no domain name. The parser of addresses would drop some of it, as line ends and letters that are not seen,
 * cut others, as a path, and decode the rest: another name than the one that was given.
 */
const FOREIGN = /(?![\u200c\u200d])(?:[^\p{L}\p{M}\p{N}.。．｡·͵׳״・-]|\p{Default_Ignorable_Code_Point})/u;

/** A domain name of two labels or more in its one spelling: lower case, international letters as xn--, no dot at its end; else null. */
export function domainName(text: string): string | null {
  if (FOREIGN.test(text)) return null;
  const name = domainToASCII(text.replace(/\.$/, ''));
  const labels = name.split('.');
  // An address of numbers is none, however it is written.
  const isName = labels.length >= 2 && labels.every((label) => LABEL.test(label)) && /[a-z]/.test(labels.at(-1) ?? '');
  return isName && name.length <= LONGEST ? name : null;
}
