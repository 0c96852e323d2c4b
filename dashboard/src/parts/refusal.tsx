import { Text } from '@mantine/core';
import type { Problems } from './field-problems.ts';
import { describeError } from './states.tsx';

/** What a refused change says, beside its button. */
export function Refusal({ error }: { error: unknown }) {
  if (!error) return null;
  const { title, advice } = describeError(error);
  return <Said>{`${title} ${advice}`}</Said>;
}

type FormRefusalProps = { error: unknown; problems: Problems };

/** What a refused form says, without what stands beside its fields already. */
export function FormRefusal({ error, problems: { loose, isMarked } }: FormRefusalProps) {
  if (loose === null) return <Refusal error={error} />;
  const said = [...loose, ...(isMarked ? ['Mend the fields that are marked.'] : [])];
  return said.length === 0 ? null : <Said>{said.join(' ')}</Said>;
}

const Said = ({ children }: { children: string }) => (
  <Text size="sm" c="var(--mantine-color-error)" role="alert">
    {children}
  </Text>
);
