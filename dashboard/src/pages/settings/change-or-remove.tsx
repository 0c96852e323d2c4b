import { Button, Group } from '@mantine/core';
import type { ComponentProps } from 'react';
import { ConfirmButton } from '../../parts/confirm-button.tsx';

type Props = Omit<ComponentProps<typeof ConfirmButton>, 'variant'> & {
  /** What "Change" changes, for screen readers. */
  changes: string;
  onChange: () => void;
};

/** What can be done with a row of a list: change it, or take it away. */
export function ChangeOrRemove({ changes, onChange, ...removal }: Props) {
  return (
    <Group gap="xs" display="inline-flex">
      <Button size="compact-sm" variant="default" onClick={onChange} aria-label={changes}>
        Change
      </Button>
      <ConfirmButton {...removal} />
    </Group>
  );
}
