import { useQuery } from '@tanstack/react-query';
import { phial, unwrap, type components } from '../api/client.ts';
import { useSession } from '../api/session.tsx';
import { CalendarDate } from './time.tsx';

type Person = NonNullable<components['schemas']['FoundUser']['person']>;

/** Returns who of the users is known. */
export async function namesOf(user_ids: string[]): Promise<Map<string, Person>> {
  if (user_ids.length === 0) return new Map();
  const { data } = await unwrap(phial.POST('/v2/user/search', { body: { user_ids, limit: 100 } }));
  return new Map(data.flatMap(({ user_id, person }) => (person ? [[user_id, person] as const] : [])));
}

/** Reads who users are, at most 100, in one request. Ids and names stand in bodies, so no log of addresses has them. */
export function usePeople(userIds: readonly string[]) {
  const { team } = useSession();
  const user_ids = [...new Set(userIds)].toSorted();
  return useQuery({
    queryKey: ['people', team?.id, user_ids],
    queryFn: () => namesOf(user_ids),
    enabled: user_ids.length > 0,
  });
}

/** Returns who the user is. Undefined while it is read, null if the user has no demographics. */
export function usePerson(userId: string | null): Person | null | undefined {
  const { data } = usePeople(userId === null ? [] : [userId]);
  return userId === null ? null : data && (data.get(userId) ?? null);
}

type Named = { first_name?: string | null; last_name?: string | null };

/** The name of a person. Null if it is not known. */
export const fullName = ({ first_name, last_name }: Named): string | null =>
  `${first_name ?? ''} ${last_name ?? ''}`.trim() || null;

/** A name with the date of birth, by which people tell two of the same name apart. */
export function NameAndBirth({ of }: { of: Named & { dob: string } }) {
  return (
    <>
      {fullName(of) ?? 'A patient whose name is not shown'}, born <CalendarDate date={of.dob} />
    </>
  );
}
