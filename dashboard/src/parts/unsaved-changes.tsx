import { Text } from '@mantine/core';
import { useBlocker } from '@tanstack/react-router';
import { FormModal } from './form-modal.tsx';

/** Asks before somebody leaves a page with changes that are not saved. */
export function UnsavedChanges({ has }: { has: boolean }) {
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: ({ current, next }) => has && current.pathname !== next.pathname,
    enableBeforeUnload: () => has,
    withResolver: true,
  });
  return (
    <FormModal
      isOpen={status === 'blocked'}
      close={() => reset?.()}
      title="Leave without saving?"
      action="Leave"
      leave="Stay"
      isFinal
      run={{ isPending: false, error: null, mutate: () => proceed?.() }}
    >
      <Text>What you changed here is lost then.</Text>
    </FormModal>
  );
}
