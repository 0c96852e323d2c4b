import { parsePhoneNumberFromString } from 'libphonenumber-js/max';

/** The number in E.164, or null where it is not a possible and valid one. */
export function e164(text: string): string | null {
  const phone = parsePhoneNumberFromString(text, { defaultCountry: 'US', extract: false });
  return phone?.isPossible() && phone.isValid() && phone.ext === undefined ? phone.number : null;
}
