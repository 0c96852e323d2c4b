import type { TeamCtx } from '../../context.ts';
import { AppError } from '../../errors.ts';

/** Whose name a word is of; `any` is either. */
type Kind = 'patient' | 'recipient' | 'any';

const MOST_WORDS = 8;

/** Whole words of a name, without case and accents. */
function wordsOf(name: string): string[] {
  const words = name
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/\p{M}/gu, '')
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean);
  return [...new Set(words)];
}

const hash = ({ cipher, team }: TeamCtx, kind: Kind, word: string): Buffer =>
  cipher.lookupHash('name_word', team.id, `${kind} ${word}`);

const birthDateHash = ({ cipher, team }: TeamCtx, dob: string): Buffer =>
  cipher.lookupHash('birth_date', team.id, dob);

/** What an order is found by: the names themselves cannot be read from these hashes. */
export function searchHashes(
  ctx: TeamCtx,
  patient: { first_name: string | null; last_name: string | null; dob: string } | null,
  recipient: { receiver_name: string } | null,
): Buffer[] {
  const patientWords = patient ? wordsOf(`${patient.first_name} ${patient.last_name}`) : [];
  const recipientWords = recipient ? wordsOf(recipient.receiver_name) : [];
  return [
    ...patientWords.map((word) => hash(ctx, 'patient', word)),
    ...recipientWords.map((word) => hash(ctx, 'recipient', word)),
    ...[...new Set([...patientWords, ...recipientWords])].map((word) => hash(ctx, 'any', word)),
    ...(patient ? [birthDateHash(ctx, patient.dob)] : []),
  ];
}

/** The hashes that an order must have for every word of `text` to stand in a name; null where `text` has no word. */
export function wordHashes(ctx: TeamCtx, kind: Kind, text: string, filter: string): Buffer[] | null {
  const words = wordsOf(text);
  if (words.length > MOST_WORDS) {
    throw new AppError('too_many_words', `${filter} takes at most ${MOST_WORDS} words.`, {
      detail: [{ type: 'too_long', loc: ['query', filter], msg: `Value should have at most ${MOST_WORDS} words` }],
    });
  }
  return words.length === 0 ? null : words.map((word) => hash(ctx, kind, word));
}

/** The same for a date of birth as `YYYY-MM-DD`. */
export const dateHashes = (ctx: TeamCtx, dob: string): Buffer[] => [birthDateHash(ctx, dob)];
