// The brand that a team shows to patients. A missing text is stored as an empty string. A missing email address has no
// property at all, because an empty string is not an address.
import type { Static } from 'typebox';
import type { BrandInformation, TeamPatch } from './schemas.ts';

type Brand = Static<typeof BrandInformation>;
type Changes = NonNullable<NonNullable<Static<typeof TeamPatch>['sandbox']>['brand_information']>;

const NO_BRAND = {
  company_website: '',
  support_contact: '',
  company_address: '',
  brand_color: '',
};

export const newBrand = (company_name: string): Brand => ({ ...NO_BRAND, company_name });

/**
 * Returns the brand with changes to single properties. Null empties a text and removes the email address. It does not
 * change the company name.
 */
export function changeBrand(brand: Brand, changes: Changes): Brand {
  const changed = Object.entries(changes).flatMap(([key, value]): [string, string | null][] => {
    if (value !== null) return [[key, value]];
    return key === 'company_name' ? [] : [[key, NO_BRAND[key as keyof typeof NO_BRAND] ?? null]];
  });
  const { support_email, ...texts } = { ...brand, ...Object.fromEntries(changed) };
  return support_email ? { ...texts, support_email } : texts;
}
