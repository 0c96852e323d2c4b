import { ownProperty } from './own-property.ts';

/** Time zones for which the runtime's data (CLDR) uses an older name than the IANA database. */
const RENAMED: Record<string, string> = {
  'Africa/Asmera': 'Africa/Asmara',
  'America/Buenos_Aires': 'America/Argentina/Buenos_Aires',
  'America/Catamarca': 'America/Argentina/Catamarca',
  'America/Coral_Harbour': 'America/Atikokan',
  'America/Cordoba': 'America/Argentina/Cordoba',
  'America/Godthab': 'America/Nuuk',
  'America/Indianapolis': 'America/Indiana/Indianapolis',
  'America/Jujuy': 'America/Argentina/Jujuy',
  'America/Louisville': 'America/Kentucky/Louisville',
  'America/Mendoza': 'America/Argentina/Mendoza',
  'Asia/Calcutta': 'Asia/Kolkata',
  'Asia/Katmandu': 'Asia/Kathmandu',
  'Asia/Rangoon': 'Asia/Yangon',
  'Asia/Saigon': 'Asia/Ho_Chi_Minh',
  'Atlantic/Faeroe': 'Atlantic/Faroe',
  'Europe/Kiev': 'Europe/Kyiv',
  'Pacific/Enderbury': 'Pacific/Kanton',
  'Pacific/Ponape': 'Pacific/Pohnpei',
  'Pacific/Truk': 'Pacific/Chuuk',
};

/**
 * Names that we have looked up. A look-up makes a formatter, which takes 50 µs. There are about 600 time zones, and
 * people use few spellings of each.
 */
const known = new Map<string, string>();
const MAX_KNOWN = 2_000;

/** Returns the IANA name of a time zone. Accepts a name in any case. Returns null for an unknown name. */
export function timeZone(text: string): string | null {
  const cached = known.get(text);
  if (cached !== undefined) return cached;
  const name = resolve(text);
  if (name !== null && known.size < MAX_KNOWN) known.set(text, name);
  return name;
}

function resolve(text: string): string | null {
  if (!/^[a-z]/i.test(text)) return null;
  try {
    const { timeZone: name } = new Intl.DateTimeFormat('en', { timeZone: text }).resolvedOptions();
    return ownProperty(RENAMED, name) ?? name;
  } catch {
    return null;
  }
}
