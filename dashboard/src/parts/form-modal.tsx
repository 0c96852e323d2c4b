import { Button, Group, Modal, Stack } from '@mantine/core';
import type { UseMutationResult } from '@tanstack/react-query';
import { useEffect, useRef, type FormEvent, type ReactNode } from 'react';
import { markFirstField, useOpenerFocus } from './opener-focus.ts';
import { Refusal } from './refusal.tsx';

export type FormModalProps = {
  /** Default: open. A page that shows the dialogue only while it is open says nothing. */
  isOpen?: boolean;
  close: () => void;
  title: string;
  /** The words of the button that sends the form. */
  action: string;
  run: Pick<UseMutationResult<unknown, Error, void>, 'mutate' | 'isPending' | 'error'>;
  /** The words of the button that closes it. Default: "Cancel", which would be unclear beside "Cancel the order". */
  leave?: string;
  /** What it does cannot be undone. */
  isFinal?: boolean;
  /** Whether the fields are filled in so far that the form can be sent. Default: yes. */
  isWhole?: boolean;
  size?: 'md' | 'lg';
  /** What a refusal says. Default: all of it. */
  refusal?: ReactNode;
  /** The fields, or what happens. */
  children: ReactNode;
};

/** A form or a question in a dialogue. A refusal is shown above its buttons. */
export function FormModal(props: FormModalProps) {
  const { isOpen = true, close, title, action, run, isFinal = false, isWhole = true, size = 'md', children } = props;
  const { refusal = <Refusal error={run.error} />, leave = 'Cancel' } = props;
  useOpenerFocus(isOpen);
  // The second click of a double click comes before the button shows that it waits.
  const isSent = useRef(false);
  useEffect(() => {
    if (!run.isPending) isSent.current = false;
  }, [run.isPending, run.error, isOpen]);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    // React passes the event of a dialogue to the form around it.
    event.stopPropagation();
    if (isSent.current) return;
    isSent.current = true;
    run.mutate();
  };
  return (
    <Modal opened={isOpen} onClose={close} title={title} size={size} centered>
      <form onSubmit={submit} ref={markFirstField}>
        <Stack gap="md">
          {children}
          {refusal}
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              {leave}
            </Button>
            <Button type="submit" loading={run.isPending} disabled={!isWhole} {...(isFinal && { color: 'red.8' })}>
              {action}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
