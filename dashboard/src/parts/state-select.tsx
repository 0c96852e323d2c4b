import { Select } from '@mantine/core';
import { stateWritten, statesLike, US_STATES } from './us-states.ts';

type Props = { value: string; onChange: (code: string) => void; error: string | undefined };

/** Chooses a state by its name or code. What is no state is not kept: a wrong one sends a kit to the wrong place. */
export function StateSelect({ value, onChange, error }: Props) {
  return (
    <Select
      label="State"
      placeholder="Name or code"
      required
      searchable
      // The first match is chosen by Enter alone.
      selectFirstOptionOnChange
      data={US_STATES}
      filter={({ search }) => statesLike(search)}
      nothingFoundMessage="No state has this name or code."
      value={value === '' ? null : value}
      onChange={(code) => onChange(code ?? '')}
      onBlur={({ currentTarget }) => {
        const written = stateWritten(currentTarget.value);
        if (written !== undefined && written !== value) onChange(written);
      }}
      error={error}
    />
  );
}
