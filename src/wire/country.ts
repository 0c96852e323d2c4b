const intl = new Intl.DisplayNames(['en'], { type: 'region', fallback: 'none' });

// Codes for which JavaScript's Intl has names, but which are not countries of ISO 3166-1.
const NOT_COUNTRIES = new Set('EU EZ QO UK UN XA XB ZZ AC CP CQ DG EA IC TA XK'.split(' '));

/** Names that people write in addition to the name that Intl has. */
const ALIASES: Record<string, string> = {
  usa: 'US',
  'u.s.': 'US',
  'u.s.a.': 'US',
  'united states of america': 'US',
  'the united states': 'US',
  'the united states of america': 'US',
  uk: 'GB',
  'great britain': 'GB',
  'us virgin islands': 'VI',
  'united states virgin islands': 'VI',
  'us minor outlying islands': 'UM',
};

/** The United States and those of its territories to which the United States Postal Service delivers. */
const DOMESTIC = new Set(['US', 'PR', 'GU', 'VI', 'AS', 'MP', 'UM']);

let byCode: Map<string, string> | null = null;
const byName = new Map(Object.entries(ALIASES));

/**
 * Returns the country names by code. Intl takes 7 µs for a name, and every address needs one, so we cache all names.
 */
function names(): Map<string, string> {
  if (byCode) return byCode;
  byCode = new Map();
  for (let first = 65; first <= 90; first += 1) {
    for (let second = 65; second <= 90; second += 1) {
      const code = String.fromCharCode(first, second);
      const name = NOT_COUNTRIES.has(code) ? undefined : intl.of(code);
      if (name === undefined) continue;
      byCode.set(code, name);
      byName.set(name.toLowerCase(), code);
      byName.set(name.replace(/^U\.S\. /, 'US ').toLowerCase(), code);
    }
  }
  return byCode;
}

/**
 * Returns the two-letter code of ISO 3166-1 for a code in any case or for an English name (`USA` gives `US`). Returns
 * null for an unknown country.
 */
export function countryCode(text: string): string | null {
  const upper = text.toUpperCase();
  if (names().has(upper)) return upper;
  return byName.get(text.toLowerCase().replaceAll(/\s+/g, ' ')) ?? null;
}

export const isUnitedStates = (text: string): boolean => countryCode(text) === 'US';

/**
 * Returns the English name of the United States or one of its territories (`us` gives `United States`). Returns null
 * for any other country.
 */
export function domesticCountry(text: string): string | null {
  const code = countryCode(text);
  return code !== null && DOMESTIC.has(code) ? (names().get(code) ?? null) : null;
}
