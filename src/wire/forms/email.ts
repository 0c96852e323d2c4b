export const LONGEST_EMAIL = 254;
// Addresses that mail servers accept: a local part without quotes, within the limits of RFC 5321.
const EMAIL =
  /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*@([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63}$/i;

/**
 * Returns true for an email address in ASCII. We compare addresses in lower case, and there the Kelvin sign is the
 * letter k. So an address with other letters could become that of somebody else.
 */
export const isEmail = (text: string): boolean => text.length <= LONGEST_EMAIL && EMAIL.test(text);
