import { Button, Group, Modal, Stack, Text } from '@mantine/core';
import type { UseMutationResult } from '@tanstack/react-query';
import type { FormEvent, ReactNode } from 'react';
import { describeError } from './states.tsx';

type FormModalProps = {
  isOpen: boolean;
  close: () => void;
  title: string;
  /** The words of the button that sends the form. */
  action: string;
  run: Pick<UseMutationResult<unknown, Error, void>, 'mutate' | 'isPending' | 'error'>;
  /** The fields. */
  children: ReactNode;
};

/** A short form in a dialogue. A refusal is shown above its buttons. */
export function FormModal({ isOpen, close, title, action, run, children }: FormModalProps) {
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    run.mutate();
  };
  return (
    <Modal opened={isOpen} onClose={close} title={title} centered>
      <form onSubmit={submit}>
        <Stack>
          {children}
          {run.error && (
            <Text c="error" role="alert">
              {describeError(run.error).title}
            </Text>
          )}
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              Cancel
            </Button>
            <Button type="submit" loading={run.isPending}>
              {action}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
