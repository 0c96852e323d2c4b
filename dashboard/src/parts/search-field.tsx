import { TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useEffect, useState } from 'react';
import { SearchIcon } from './icons.tsx';

type Props = {
  label: string;
  value: string | undefined;
  change: (value: string | null) => void;
  longest?: number;
  /** What can be written. */
  placeholder?: string;
  type?: 'text' | 'search' | 'email' | 'tel' | 'date';
  /** The width where the screen is not narrow. */
  width?: number;
};

/** The filter of a list by text. Searches after a pause in typing, so that not every letter is a request. */
export function SearchField({
  label,
  value = '',
  change,
  longest = 200,
  placeholder,
  type = 'text',
  width = 260,
}: Props) {
  const [typed, setTyped] = useState(value);
  useEffect(() => setTyped(value), [value]);
  const search = useDebouncedCallback((text: string) => change(text.trim() || null), 300);
  return (
    <TextInput
      label={label}
      type={type}
      {...(placeholder && { placeholder })}
      leftSection={<SearchIcon size={16} />}
      maxLength={longest}
      w={{ base: '100%', sm: width }}
      value={typed}
      onChange={({ currentTarget }) => {
        setTyped(currentTarget.value);
        search(currentTarget.value);
      }}
    />
  );
}
