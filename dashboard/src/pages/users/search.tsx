import { Group, NativeSelect } from '@mantine/core';
import { SearchField } from '../../parts/search-field.tsx';

/** What users are searched by. An id may stand in the address bar. Personal data never do. */
const WAYS = { id: 'Id', name: 'Name', email: 'E-mail', phone_number: 'Phone', birth_date: 'Date of birth' } as const;
type Way = keyof typeof WAYS;
export type Wanted = { by: Way; text: string };

const TYPES = { id: 'search', name: 'search', email: 'email', phone_number: 'tel', birth_date: 'date' } as const;

type SearchProps = { wanted: Wanted; change: (wanted: Wanted) => void };

/** What to search by, and the text. */
export function Search({ wanted: { by, text }, change }: SearchProps) {
  return (
    <Group align="end" gap="sm">
      <NativeSelect
        label="Search by"
        data={Object.entries(WAYS).map(([value, label]) => ({ value, label }))}
        value={by}
        onChange={({ currentTarget }) => change({ by: currentTarget.value as Way, text: '' })}
      />
      <SearchField
        key={by}
        label="Search"
        type={TYPES[by]}
        longest={by === 'id' ? 256 : 200}
        width={320}
        value={text}
        change={(typed) => change({ by, text: typed ?? '' })}
      />
    </Group>
  );
}
