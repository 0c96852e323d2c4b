import { Button, Group, Modal, Stack, Text, type ButtonProps } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { describeError } from './states.tsx';

type ConfirmButtonProps = {
  /** The words of both buttons, such as "Revoke". */
  action: string;
  /** The question, such as "Revoke the key of the nightly export?" */
  question: string;
  /** What then happens, and whether it can be undone. */
  children: ReactNode;
  onConfirm: () => Promise<unknown>;
  variant?: ButtonProps['variant'];
};

/** A button for what cannot be undone. It asks first, and shows a refusal beside its question. */
export function ConfirmButton({ action, question, children, onConfirm, variant = 'default' }: ConfirmButtonProps) {
  const [isOpen, { open, close }] = useDisclosure(false);
  const run = useMutation({ mutationFn: onConfirm, onSuccess: close });
  const begin = (): void => {
    run.reset();
    open();
  };
  return (
    <>
      <Button size="compact-sm" variant={variant} onClick={begin} aria-label={question}>
        {action}
      </Button>
      <Modal opened={isOpen} onClose={close} title={question} centered>
        <Stack>
          <div>{children}</div>
          {run.error && (
            <Text c="error" role="alert">
              {describeError(run.error).title}
            </Text>
          )}
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              Cancel
            </Button>
            <Button color="red.8" loading={run.isPending} onClick={() => run.mutate()}>
              {action}
            </Button>
          </Group>
        </Stack>
      </Modal>
    </>
  );
}
