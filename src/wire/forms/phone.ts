import { parsePhoneNumberFromString } from 'libphonenumber-js/max';

/** Returns the phone number in E.164, or null if it is not valid in its country. */
export function e164(text: string): string | null {
  const phone = parsePhoneNumberFromString(text, { defaultCountry: 'US', extract: false });
  return phone?.isValid() && phone.ext === undefined ? phone.number : null;
}
