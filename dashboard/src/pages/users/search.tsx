import { Group, NativeSelect, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useEffect, useState } from 'react';
import { SearchIcon } from '../../parts/icons.tsx';

/** What users are searched by. An id may stand in the address bar. Personal data never do. */
const WAYS = { id: 'Id', name: 'Name', email: 'E-mail', phone_number: 'Phone', birth_date: 'Date of birth' } as const;
type Way = keyof typeof WAYS;
export type Wanted = { by: Way; text: string };

const TYPES: Record<Way, string> = {
  id: 'search',
  name: 'search',
  email: 'email',
  phone_number: 'tel',
  birth_date: 'date',
};

type SearchProps = { wanted: Wanted; change: (wanted: Wanted) => void };

/** Searches after a pause in typing, so that not every letter is a request. */
export function Search({ wanted, change }: SearchProps) {
  const [{ by, text }, setTyped] = useState(wanted);
  useEffect(() => setTyped(wanted), [wanted.by, wanted.text]);
  const search = useDebouncedCallback((typed: Wanted) => change({ ...typed, text: typed.text.trim() }), 300);
  const type = (typed: Wanted): void => {
    setTyped(typed);
    search(typed);
  };
  return (
    <Group align="end" gap="sm">
      <NativeSelect
        label="Search by"
        data={Object.entries(WAYS).map(([value, label]) => ({ value, label }))}
        value={by}
        onChange={({ currentTarget }) => type({ by: currentTarget.value as Way, text: '' })}
      />
      <TextInput
        label="Search"
        type={TYPES[by]}
        leftSection={<SearchIcon size={16} />}
        maxLength={by === 'id' ? 256 : 200}
        w={{ base: '100%', sm: 320 }}
        value={text}
        onChange={({ currentTarget }) => type({ by, text: currentTarget.value })}
      />
    </Group>
  );
}
