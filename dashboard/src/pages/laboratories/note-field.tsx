import { Textarea } from '@mantine/core';

type NoteFieldProps = {
  value: string;
  onChange: (note: string) => void;
  problem: string | undefined;
  isRequired?: boolean;
};

/** Why somebody decided so about a result. */
export const NoteField = ({ value, onChange, problem, isRequired = false }: NoteFieldProps) => (
  <Textarea
    label={isRequired ? 'Why it belongs to this order' : 'Note'}
    description="Why you decided so. Whoever reads it later was not there."
    autosize
    minRows={2}
    maxLength={1_000}
    required={isRequired}
    value={value}
    onChange={({ currentTarget }) => onChange(currentTarget.value)}
    error={problem}
  />
);
