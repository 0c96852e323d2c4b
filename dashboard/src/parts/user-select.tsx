import { Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { phial, unwrap, type components } from '../api/client.ts';
import { useSession } from '../api/session.tsx';
import { fullName, namesOf } from './people.tsx';
import { dayInWords } from './time.tsx';

type UserSelectProps = {
  label: string;
  value: string | null;
  onChange: (userId: string | null) => void;
  error?: string | undefined;
  /** Whether no user can be chosen. Default: the form needs one. */
  clearable?: boolean;
};

type Choice = { value: string; label: string };

/** Chooses a user by the id of the team's own system, or by words of the name. */
export function UserSelect({ label, value, onChange, error, clearable = false }: UserSelectProps) {
  const { team } = useSession();
  const [typed, setTyped] = useState('');
  const [chosen, setChosen] = useState<Choice | null>(null);
  // The field shows the label of the chosen user, which is no search.
  const [searched] = useDebouncedValue(typed === chosen?.label ? '' : typed.trim(), 300);
  const { data: found = [] } = useQuery({
    queryKey: ['users_search', 'choices', team?.id, searched],
    queryFn: () => findChoices(searched),
    placeholderData: (before) => before,
  });
  // A page may have chosen the user before the field is there.
  const given = value !== null && chosen === null;
  const { data: known } = useQuery({
    queryKey: ['users_search', 'known', team?.id, value],
    queryFn: async () => {
      const { data } = await unwrap(phial.POST('/v2/user/search', { body: { user_ids: [value ?? ''] } }));
      return data.map(choiceOf);
    },
    enabled: given,
  });
  const [first] = known ?? [];
  if (given && first) setChosen(first);
  const isListed = chosen === null || found.some((choice) => choice.value === chosen.value);
  return (
    <Select
      label={label}
      placeholder={clearable ? 'All users' : 'Search by id or name'}
      searchable
      required={!clearable}
      clearable={clearable}
      data={isListed ? found : [chosen, ...found]}
      // The service has searched already, and by more than the label shows.
      filter={({ options }) => options}
      value={value}
      onChange={(userId) => {
        setChosen(userId === null ? null : (found.find((choice) => choice.value === userId) ?? chosen));
        onChange(userId);
      }}
      searchValue={typed}
      onSearchChange={setTyped}
      nothingFoundMessage="No user matches. A name is found by its whole words."
      error={error}
    />
  );
}

async function findChoices(searched: string): Promise<Choice[]> {
  if (searched.length < 2) return withNames(await unwrap(phial.GET('/v2/team/users/search')));
  const [byId, byName] = await Promise.all([
    unwrap(phial.GET('/v2/team/users/search', { params: { query: { query_id: searched } } })),
    unwrap(phial.POST('/v2/user/search', { body: { name: searched } })),
  ]);
  const named = new Set(byName.data.map(({ user_id }) => user_id));
  return [...byName.data.map(choiceOf), ...(await withNames(byId.filter(({ user_id }) => !named.has(user_id))))];
}

type Found = Pick<components['schemas']['FoundUser'], 'user_id' | 'client_user_id'> &
  Partial<Pick<components['schemas']['FoundUser'], 'person'>>;

/** The search by ids does not say who the users are. */
async function withNames(users: readonly Found[]): Promise<Choice[]> {
  const people = await namesOf(users.map(({ user_id }) => user_id));
  return users.map(({ user_id, client_user_id }) =>
    choiceOf({ user_id, client_user_id, person: people.get(user_id) ?? null }),
  );
}

const choiceOf = ({ user_id, client_user_id, person }: Found): Choice => ({
  value: user_id,
  // Two patients of one name differ by their dates of birth.
  label: person ? `${fullName(person) ?? '–'}, born ${dayInWords(person.dob)} · ${client_user_id}` : client_user_id,
});
