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

/** Chooses a user by the id of the team's own system, by name, e-mail or phone number. */
export function UserSelect({ label, value, onChange, error }: UserSelectProps) {
  const { team } = useSession();
  const [typed, setTyped] = useState('');
  const [searched] = useDebouncedValue(typed.trim(), 300);
  const { data = [] } = useQuery({
    queryKey: ['users_search', team?.id, searched],
    queryFn: () =>
      unwrap(
        phial.GET('/v2/team/users/search', {
          params: { query: searched.length >= 2 ? { query_id: searched } : {} },
        }),
      ),
    placeholderData: (before) => before,
  });
  return (
    <Select
      label={label}
      placeholder="Search by id or name"
      searchable
      required
      data={data.map(({ user_id, client_user_id }) => ({ value: user_id, label: client_user_id }))}
      // The service has searched already, and by more than the label shows.
      filter={({ options }) => options}
      value={value}
      onChange={onChange}
      searchValue={typed}
      onSearchChange={setTyped}
      nothingFoundMessage="No user matches"
      error={error}
    />
  );
}
