// How a team shows itself to patients. Texts of it are empty where there is none; an e-mail address is left out, as "" is none.
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

/** Key by key: null makes a text empty and takes the e-mail address away, and a company keeps its name. */
export function changeBrand(brand: Brand, changes: Changes): Brand {
  const changed = Object.entries(changes).flatMap(([key, value]): [string, string | null][] => {
    if (value !== null) return [[key, value]];
    return key === 'company_name' ? [] : [[key, NO_BRAND[key as keyof typeof NO_BRAND] ?? null]];
  });
  const { support_email, ...texts } = { ...brand, ...Object.fromEntries(changed) };
  return support_email ? { ...texts, support_email } : texts;
}
