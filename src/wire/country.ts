const names = new Intl.DisplayNames(['en'], { type: 'region', fallback: 'none' });

// Intl names these too, but they are no countries of ISO 3166-1.
const NOT_COUNTRIES = new Set([
  'EU',
  'EZ',
  'QO',
  'UK',
  'UN',
  'XA',
  'XB',
  'ZZ',
  'AC',
  'CP',
  'CQ',
  'DG',
  'EA',
  'IC',
  'TA',
  'XK',
]);

const byName = new Map<string, string>();
const byCode = new Map<string, string | null>();

/** Intl takes 7 µs to answer, and every address asks. */
function nameOfCode(code: string): string | null {
  let name = byCode.get(code);
  if (name === undefined) {
    name = NOT_COUNTRIES.has(code) ? null : (names.of(code) ?? null);
    byCode.set(code, name);
  }
  return name;
}

/** The English name of a two-letter code of ISO 3166-1 (`US` gives `United States`); a full name gives itself; else null. */
export function countryName(text: string): string | null {
  if (/^[A-Za-z]{2}$/.test(text)) return nameOfCode(text.toUpperCase());
  if (byName.size === 0) fillNames();
  return byName.get(text.toLowerCase()) ?? null;
}

function fillNames(): void {
  for (let first = 65; first <= 90; first += 1) {
    for (let second = 65; second <= 90; second += 1) {
      const name = nameOfCode(String.fromCharCode(first, second));
      if (name !== null) byName.set(name.toLowerCase(), name);
    }
  }
}
