import { Select } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { phial, unwrap } from '../api/client.ts';
import { useSession } from '../api/session.tsx';

type UserSelectProps = {
  label: string;
  value: string | null;
  onChange: (userId: string | null) => void;
  error?: string | undefined;
};

type Choice = { value: string; label: string };

/** Chooses a user by the id of the team's own system, or by words of the name. */
export function UserSelect({ label, value, onChange, error }: UserSelectProps) {
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
  const isListed = chosen === null || found.some((choice) => choice.value === chosen.value);
  return (
    <Select
      label={label}
      placeholder="Search by id or name"
      searchable
      required
      data={isListed ? found : [chosen, ...found]}
      // The service has searched already, and by more than the label shows.
      filter={({ options }) => options}
      value={value}
      onChange={(userId) => {
        setChosen(found.find((choice) => choice.value === userId) ?? chosen);
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
  if (searched.length < 2) return choicesOf(await unwrap(phial.GET('/v2/team/users/search')));
  const [byId, byName] = await Promise.all([
    unwrap(phial.GET('/v2/team/users/search', { params: { query: { query_id: searched } } })),
    unwrap(phial.POST('/v2/user/search', { body: { name: searched } })),
  ]);
  const named = byName.data.map(({ user_id, client_user_id, person }) => ({
    value: user_id,
    label: person ? `${person.first_name} ${person.last_name} (${client_user_id})` : client_user_id,
  }));
  const known = new Set(named.map(({ value }) => value));
  return [...named, ...choicesOf(byId).filter(({ value }) => !known.has(value))];
}

const choicesOf = (users: { user_id: string; client_user_id: string }[]): Choice[] =>
  users.map(({ user_id, client_user_id }) => ({ value: user_id, label: client_user_id }));
