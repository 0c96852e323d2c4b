// The keyed hashes by which a team finds its users. The hashes of equal texts differ between teams, and nobody can read
// a name from a hash. All changes of a user's personal data pass `storeSearchHashes`.
import { sql } from 'kysely';
import type { Static } from 'typebox';
import type { Ctx, TxCtx } from '../../context.ts';
import type { LookupKind } from '../../privacy/sealed-columns.ts';
import { throwIfKeyIsUnknown } from '../../privacy/missing-encryption-key.ts';
import { wordsOf } from '../../wire/text.ts';
import type { UserInfo } from '../schemas.ts';

/** A longer name is found by its first words only. */
const MAX_WORDS = 16;

type HashKind = Extract<LookupKind, 'email' | 'phone_number' | 'birth_date' | 'name_word'>;
export type SearchHash = { kind: HashKind; hash: Buffer };
type Hashed = { email?: string; phone_number?: string; birth_dates?: string[]; name?: string };

/** Returns the hashes of what is known, or looked for. Case, accents and spaces do not matter. */
export function searchHashes(
  { cipher }: Pick<Ctx, 'cipher'>,
  teamId: string,
  { email, phone_number, birth_dates = [], name = '' }: Hashed,
): SearchHash[] {
  const hashes = (kind: HashKind, texts: string[]): SearchHash[] =>
    texts.map((text) => ({ kind, hash: cipher.lookupHash(kind, teamId, text) }));
  return [
    ...hashes('email', email === undefined ? [] : [email.normalize('NFKC').trim().toLowerCase()]),
    ...hashes('phone_number', phone_number === undefined ? [] : [phone_number]),
    ...hashes('birth_date', [...new Set(birth_dates)]),
    ...hashes('name_word', [...new Set(wordsOf(name))].slice(0, MAX_WORDS)),
  ];
}

type Person = { id: string; team_id: string; birth_date: Buffer | null; info: Buffer | null };

function hashesOf(ctx: Ctx, user: Person): SearchHash[] {
  const info = user.info && ctx.cipher.openJson<Static<typeof UserInfo>>('user_info.info', user, user.info);
  const fallback = user.birth_date && ctx.cipher.openText('users.fallback_birth_date', user, user.birth_date);
  return searchHashes(ctx, user.team_id, {
    ...(info && { email: info.email, phone_number: info.phone_number, name: `${info.first_name} ${info.last_name}` }),
    birth_dates: [info?.dob, fallback].filter((date) => typeof date === 'string'),
  });
}

/**
 * Makes the hashes of users anew, from their demographics and birth dates as stored. The caller holds the locks on
 * their rows of `users`, so that no older hashes follow newer data.
 */
export async function storeSearchHashes(ctx: TxCtx, userIds: string[]): Promise<void> {
  const users = await ctx.db
    .selectFrom('users')
    .leftJoin('user_info', 'user_info.user_id', 'users.id')
    .select(['users.id', 'users.team_id', 'users.fallback_birth_date as birth_date', 'user_info.info'])
    .where('users.id', 'in', userIds)
    .execute();
  const rows = users.flatMap((user) =>
    readableHashes(ctx, user).map((row) => ({ ...row, user_id: user.id, team_id: user.team_id })),
  );
  await sql`
    with wanted as (
      select * from unnest(${rows.map(({ team_id }) => team_id)}::uuid[], ${rows.map(({ kind }) => kind)}::text[],
                           ${rows.map(({ hash }) => hash)}::bytea[], ${rows.map(({ user_id }) => user_id)}::uuid[])
                 as w (team_id, kind, hash, user_id)
    ), gone as (
      delete from user_search_hashes stored
       where user_id = any (${userIds}::uuid[])
         and not exists (select from wanted where wanted.user_id = stored.user_id and wanted.kind = stored.kind
                            and wanted.hash = stored.hash)
    )
    insert into user_search_hashes (team_id, kind, hash, user_id)
    select team_id, kind, hash, user_id from wanted on conflict do nothing`.execute(ctx.db);
}

/** A damaged value keeps its user out of searches, but it stops neither the user's changes nor the job. */
function readableHashes(ctx: Ctx, user: Person): SearchHash[] {
  try {
    return hashesOf(ctx, user);
  } catch (error) {
    throwIfKeyIsUnknown(error);
    ctx.log.warn({ user_id: user.id }, 'a user cannot be found by personal data: a sealed value cannot be read');
    return [];
  }
}
