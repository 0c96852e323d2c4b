import { Button, type ButtonProps } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { FormModal } from './form-modal.tsx';

type ConfirmButtonProps = {
  /** The words of both buttons, such as "Revoke". */
  action: string;
  /** The question, such as "Revoke the key of the nightly export?" */
  question: string;
  /** What then happens, and whether it can be undone. */
  children: ReactNode;
  onConfirm: () => Promise<unknown>;
  variant?: ButtonProps['variant'];
  /** Default: as in a row of a table. */
  size?: ButtonProps['size'];
};

/** A button for what cannot be undone. It asks first, and shows a refusal beside its question. */
export function ConfirmButton(props: ConfirmButtonProps) {
  const { action, question, children, onConfirm, variant = 'default', size = 'compact-sm' } = props;
  const [isOpen, { open, close }] = useDisclosure(false);
  const run = useMutation({ mutationFn: onConfirm, onSuccess: close });
  const begin = (): void => {
    run.reset();
    open();
  };
  return (
    <>
      <Button size={size} variant={variant} onClick={begin} aria-label={question}>
        {action}
      </Button>
      <FormModal isOpen={isOpen} close={close} title={question} action={action} run={run} isFinal>
        <div>{children}</div>
      </FormModal>
    </>
  );
}
