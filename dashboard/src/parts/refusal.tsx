import { Text } from '@mantine/core';
import { describeError } from './states.tsx';

/** What a refused change says, beside its button. */
export function Refusal({ error }: { error: unknown }) {
  if (!error) return null;
  const { title, advice } = describeError(error);
  return (
    <Text size="sm" c="var(--mantine-color-error)" role="alert">
      {title} {advice}
    </Text>
  );
}
