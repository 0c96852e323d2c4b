import { Button, Group, Select, Stack, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { FormModal } from '../../parts/form-modal.tsx';
import { ShownOnce } from './shown-once.tsx';

export type MadeKey = { id: string; value: string };

type KeysPanelProps<Choice extends string> = {
  about: string;
  /** The title of the form for a new key. */
  title: string;
  /** What the key may do. */
  choices: { label: string; first: Choice; data: { value: Choice; label: string }[] };
  make: (label: string, choice: Choice) => Promise<MadeKey>;
  /** The ids of the keys that were revoked here. */
  revoked: readonly string[];
  /** The list of the keys. It can offer the button again. */
  children: (button: ReactNode) => ReactNode;
};

/** Keys of one kind: the form for a new one, its value once, and the list. */
export function KeysPanel<Choice extends string>(props: KeysPanelProps<Choice>) {
  const { about, title, choices, make, revoked, children } = props;
  const [isOpen, { open, close }] = useDisclosure(false);
  const [made, setMade] = useState<MadeKey | null>(null);
  const [label, setLabel] = useState('');
  const [choice, setChoice] = useState(choices.first);
  const run = useMutation({
    mutationFn: () => make(label.trim(), choice),
    onSuccess: (key) => {
      setLabel('');
      setMade(key);
      close();
    },
  });
  const button = <Button onClick={open}>Create a key</Button>;
  return (
    <Stack>
      <Group justify="space-between">
        <Text c="dimmed">{about}</Text>
        {button}
      </Group>
      {made && !revoked.includes(made.id) && <ShownOnce value={made.value} close={() => setMade(null)} />}
      <FormModal isOpen={isOpen} close={close} title={title} action="Create the key" run={run}>
        <TextInput
          label="Label"
          description="What the key is for, so that you know it when you revoke it."
          required
          withAsterisk={false}
          maxLength={200}
          value={label}
          onChange={({ currentTarget }) => setLabel(currentTarget.value)}
          data-autofocus
        />
        <Select
          label={choices.label}
          data={choices.data}
          value={choice}
          onChange={(chosen) => chosen !== null && setChoice(chosen)}
          allowDeselect={false}
        />
      </FormModal>
      {children(button)}
    </Stack>
  );
}
