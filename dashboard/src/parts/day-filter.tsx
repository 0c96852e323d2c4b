import { TextInput } from '@mantine/core';

type Props = {
  label: string;
  value: string | undefined;
  change: (day: string | null) => void;
  /** The last day of the range, if this is the first one. */
  until?: string | undefined;
};

/** Whether a range has no day, because its first day is after its last one. Days are written as YYYY-MM-DD. */
export const isBackwards = (from: string | undefined, until: string | undefined): boolean =>
  from !== undefined && until !== undefined && from > until;

/** A filter of a list by a day, such as its first or last one. */
export function DayFilter({ label, value, change, until }: Props) {
  return (
    <TextInput
      label={label}
      type="date"
      w={{ base: 'calc(50% - 6px)', xs: 150 }}
      value={value ?? ''}
      error={isBackwards(value, until) && 'After “Until”'}
      onChange={({ currentTarget }) => change(currentTarget.value || null)}
    />
  );
}
