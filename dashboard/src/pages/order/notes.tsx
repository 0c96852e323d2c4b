import { Button, Group, Stack, Text, Textarea } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { phial, unwrap } from '../../api/client.ts';
import { readAgain } from '../../api/queries.ts';
import { ConfirmButton } from '../../parts/confirm-button.tsx';
import { orderNotesQuery } from '../../parts/order-notes.ts';
import { Refusal } from '../../parts/refusal.tsx';
import { Section } from '../../parts/section.tsx';
import { Time } from '../../parts/time.tsx';

/** What colleagues wrote about the order. The laboratory never sees it. */
export function Notes({ orderId }: { orderId: string }) {
  const path = { order_id: orderId };
  const [text, setText] = useState('');
  const { data } = useQuery(orderNotesQuery([orderId]));
  const reload = () => readAgain('order_notes');
  const add = useMutation({
    mutationFn: () => unwrap(phial.POST('/v3/order/{order_id}/note', { params: { path }, body: { text } })),
    onSuccess: () => {
      setText('');
      return reload();
    },
  });
  const remove = async (note_id: string): Promise<void> => {
    await unwrap(phial.DELETE('/v3/order/{order_id}/note/{note_id}', { params: { path: { ...path, note_id } } }));
    await reload();
  };
  return (
    <Section title="Notes">
      <Stack gap="md">
        {(data?.data ?? []).map((note) => (
          <div key={note.id}>
            <Group justify="space-between" wrap="nowrap" gap="xs">
              <Text size="sm" c="dimmed">
                {note.author}, <Time at={note.created_at} />
              </Text>
              <ConfirmButton
                action="Delete"
                question={`Delete the note of ${note.author}?`}
                variant="subtle"
                onConfirm={() => remove(note.id)}
              >
                <Text lineClamp={4} style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>
                  {note.text}
                </Text>
                <Text mt="sm">This cannot be undone.</Text>
              </ConfirmButton>
            </Group>
            <Text style={{ whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' }}>{note.text}</Text>
          </div>
        ))}
        <Textarea
          label="A note for colleagues"
          autosize
          minRows={2}
          maxLength={4_000}
          value={text}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
        />
        <Refusal error={add.error} />
        <Button
          variant="default"
          disabled={text.trim() === ''}
          loading={add.isPending}
          onClick={() => add.mutate()}
          style={{ alignSelf: 'flex-start' }}
        >
          Add the note
        </Button>
      </Stack>
    </Section>
  );
}
