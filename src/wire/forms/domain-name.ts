import { domainToASCII } from 'node:url';

const LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;
const LONGEST = 253;
/**
 * Characters that cannot be part of a domain name. The URL parser would return another name than the given one for
 * them. It drops some (line ends, invisible letters), cuts the name at others (a slash), and decodes the rest.
 */
const FOREIGN = /(?![\u200c\u200d])(?:[^\p{L}\p{M}\p{N}.。．｡·͵׳״・-]|\p{Default_Ignorable_Code_Point})/u;

/**
 * Returns a domain name with at least two labels in its canonical form: lower case, international letters as xn--, no
 * dot at the end. Returns null for any other text.
 */
export function domainName(text: string): string | null {
  if (FOREIGN.test(text)) return null;
  const name = domainToASCII(text.replace(/\.$/, ''));
  const labels = name.split('.');
  // An IP address is not a domain name, in any notation.
  const isName = labels.length >= 2 && labels.every((label) => LABEL.test(label)) && /[a-z]/.test(labels.at(-1) ?? '');
  return isName && name.length <= LONGEST ? name : null;
}
