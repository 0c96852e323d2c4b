import { parsePhoneNumberFromString } from 'libphonenumber-js/max';

/** The number in E.164, or null where it is not valid in its country; a valid number is a possible one, too. */
export function e164(text: string): string | null {
  const phone = parsePhoneNumberFromString(text, { defaultCountry: 'US', extract: false });
  return phone?.isValid() && phone.ext === undefined ? phone.number : null;
}
