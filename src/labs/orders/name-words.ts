import { sql } from 'kysely';
import type { TeamCtx, TxCtx } from '../../context.ts';
import { wordsOf } from '../../wire/text.ts';
import type { OrderRow } from './sealed.ts';

const hashes = ({ cipher, team }: TeamCtx, words: string[]): Buffer[] =>
  [...new Set(words)].map((word) => cipher.lookupHash('name_word', team.id, word));

export const birthDateHash = ({ cipher, team }: TeamCtx, dob: string): Buffer =>
  cipher.lookupHash('birth_date', team.id, dob);

/** Returns the hashes of the words in a filter. Returns an empty list if the text has no word. */
export const wordHashes = (ctx: TeamCtx, text: string): Buffer[] => hashes(ctx, wordsOf(text));

/**
 * Returns the hashes with which a search finds an order by the words of its names or by the date of birth. The result
 * has two arrays of equal length: the kinds and the hashes. The hashes are keyed, so nobody can read the names from
 * them.
 */
export function nameWords(
  ctx: TeamCtx,
  { patient_details: patient, shipping_details: recipient }: Pick<OrderRow, 'patient_details' | 'shipping_details'>,
): { kinds: string[]; hashes: Buffer[] } {
  const found = [
    ...(recipient ? hashes(ctx, wordsOf(recipient.receiver_name)).map((hash) => ['recipient', hash] as const) : []),
    ...(patient
      ? hashes(ctx, wordsOf(`${patient.first_name} ${patient.last_name}`)).map((hash) => ['patient', hash] as const)
      : []),
    ...(patient ? [['birth_date', birthDateHash(ctx, patient.dob)] as const] : []),
  ];
  return { kinds: found.map(([kind]) => kind), hashes: found.map(([, hash]) => hash) };
}

/** People write such numbers with spaces and hyphens, so the hash ignores these, and the case of letters. */
export const specimenHash = ({ cipher, team }: TeamCtx, number: string): Buffer =>
  cipher.lookupHash('specimen_number', team.id, number.toUpperCase().replaceAll(/[\s-]/g, ''));

/** Stores the hashes with which a search finds an order by the numbers that its laboratory gave to the samples. */
export async function storeSpecimenNumbers(ctx: TxCtx<TeamCtx>, row: OrderRow, numbers: string[]): Promise<void> {
  const known = numbers.filter((number) => number !== '' && number !== row.sample_id);
  if (known.length === 0) return;
  await sql`
    insert into order_name_words (user_id, order_id, team_id, kind, word_hash)
    select ${row.user_id}, ${row.id}, ${ctx.team.id}, 'specimen', hash
      from unnest(${known.map((number) => specimenHash(ctx, number))}::bytea[]) as numbers (hash)
    on conflict do nothing`.execute(ctx.db);
}

/** Replaces the stored hashes with which a search finds an order by name or date of birth. */
export async function storeNameWords(ctx: TxCtx<TeamCtx>, row: OrderRow): Promise<void> {
  const words = nameWords(ctx, row);
  await sql`
    with wanted as (
      select * from unnest(${words.kinds}::text[], ${words.hashes}::bytea[]) as w (kind, word_hash)
    ), gone as (
      delete from order_name_words words
       where user_id = ${row.user_id} and order_id = ${row.id} and words.kind <> 'specimen'
         and not exists (select from wanted where wanted.kind = words.kind and wanted.word_hash = words.word_hash)
    )
    insert into order_name_words (user_id, order_id, team_id, kind, word_hash)
    select ${row.user_id}, ${row.id}, ${ctx.team.id}, kind, word_hash from wanted
    on conflict do nothing`.execute(ctx.db);
}
