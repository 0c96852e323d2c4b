import { normalName } from './parser/match/match-loinc.ts';

type Known = { first_name?: string | null; last_name?: string | null; dob?: string | null };
type Stated = { first_name: string | null; last_name: string | null; dob: string | null };

/**
 * Compares the patient whom a report names with a person whom we know: `other` if the name or the date of birth
 * differs, `nobody` if the report states none of what we know. If we know nothing, the patient is the `same`.
 */
export function comparePatients(known: Known, stated: Stated): 'same' | 'nobody' | 'other' {
  const pairs = (
    [
      [known.dob, stated.dob],
      [known.last_name, stated.last_name],
      [firstWord(known.first_name), firstWord(stated.first_name)],
    ] as const
  ).filter(([mine]) => mine);
  const comparable = pairs.filter(([, other]) => other !== null);
  if (pairs.length > 0 && comparable.length === 0) return 'nobody';
  const isSame = comparable.every(([mine, other]) => normalName(mine as string) === normalName(other as string));
  return isSame ? 'same' : 'other';
}

/** Returns the first word of a name. Reports may add a middle name or an initial, so we compare only this word. */
const firstWord = (name: string | null | undefined): string | null => name?.trim().split(/\s+/)[0] ?? null;
