import { Select, type SelectProps } from '@mantine/core';

type Props = Pick<SelectProps, 'data' | 'placeholder' | 'searchable'> & {
  label: string;
  value: string | undefined;
  change: (value: string | null) => void;
  /** The width in pixels. On a narrow screen two filters stand in a row. */
  width: number;
};

/** A filter of a list by one of several values, or by none. */
export function ChoiceFilter({ value, change, width, placeholder = 'Any', ...select }: Props) {
  return (
    <Select
      {...select}
      placeholder={placeholder}
      clearable
      w={{ base: 'calc(50% - 6px)', xs: width }}
      value={value ?? null}
      onChange={change}
    />
  );
}
