import { TextInput } from '@mantine/core';

type Props = { label: string; value: string | undefined; change: (day: string | null) => void };

/** A filter of a list by a day, such as its first or last one. */
export function DayFilter({ label, value, change }: Props) {
  return (
    <TextInput
      label={label}
      type="date"
      w={{ base: 'calc(50% - 6px)', xs: 150 }}
      value={value ?? ''}
      onChange={({ currentTarget }) => change(currentTarget.value || null)}
    />
  );
}
