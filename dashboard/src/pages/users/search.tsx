import { Group, NativeSelect } from '@mantine/core';
import { SearchField } from '../../parts/search-field.tsx';

/** What users are searched by. */
const WAYS = {
  any: 'Id or name',
  email: 'E-mail',
  phone_number: 'Phone',
  birth_date: 'Date of birth',
} as const;
type Way = keyof typeof WAYS;
export type Wanted = { by: Way; text: string };

const TYPES = { any: 'search', email: 'email', phone_number: 'tel', birth_date: 'date' } as const;

type SearchProps = { wanted: Wanted; change: (wanted: Wanted) => void };

/** What to search by, and the text. */
export function Search({ wanted: { by, text }, change }: SearchProps) {
  return (
    <Group align="end" gap="sm">
      <NativeSelect
        label="Search by"
        data={Object.entries(WAYS).map(([value, label]) => ({ value, label }))}
        value={by}
        onChange={({ currentTarget }) => {
          const next = currentTarget.value as Way;
          // What was written stays, unless a field for dates cannot show it, or shows it in another form.
          change({ by: next, text: next === 'birth_date' || by === 'birth_date' ? '' : text });
        }}
      />
      <SearchField
        key={by}
        label="Search"
        type={TYPES[by]}
        longest={by === 'any' ? 256 : 200}
        width={320}
        value={text}
        change={(typed) => change({ by, text: typed ?? '' })}
      />
    </Group>
  );
}
