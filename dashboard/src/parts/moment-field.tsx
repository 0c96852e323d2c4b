import { TextInput } from '@mantine/core';

/** A moment as the field writes it, in the viewer's zone: `2026-11-27T09:30`. */
export const asWritten = (at: number): string =>
  new Date(at - new Date(at).getTimezoneOffset() * 60_000).toISOString().slice(0, 16);

type Props = {
  label: string;
  value: string;
  change: (written: string) => void;
  error: string | undefined;
  /** The first moment that can be chosen, as the field writes it. */
  earliest?: string;
};

/** A day with its time, in the viewer's zone. */
export function MomentField({ label, value, change, error, earliest }: Props) {
  return (
    <TextInput
      label={label}
      type="datetime-local"
      required
      {...(earliest !== undefined && { min: earliest })}
      value={value}
      onChange={({ currentTarget }) => change(currentTarget.value)}
      error={error}
    />
  );
}
