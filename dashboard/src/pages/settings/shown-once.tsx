import { Alert, Text } from '@mantine/core';
import { CopyableId } from '../../parts/copyable-id.tsx';

/** The value of a new key. The service stores only its hash. */
export function ShownOnce({ value, close }: { value: string; close: () => void }) {
  return (
    <Alert title="Copy the key now" withCloseButton closeButtonLabel="I have copied the key" onClose={close}>
      <Text size="sm" mb={6}>
        Nobody can read it again. If you lose it, make a new key and revoke this one.
      </Text>
      <CopyableId value={value} isWhole label="the key" />
    </Alert>
  );
}
