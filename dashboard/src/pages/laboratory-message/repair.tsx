import { Button, Group, Stack, Text } from '@mantine/core';
import { useEffect, useState } from 'react';
import { Refusal } from '../../parts/refusal.tsx';
import { Section } from '../../parts/section.tsx';
import { faultsOf, type Message } from './message-query.ts';
import { SegmentForm } from './segment-form.tsx';
import { Segments } from './segments.tsx';

export type Change = { segment: number; field?: number; value?: string; remove?: boolean };

type Props = {
  message: Message;
  save: (changes: Change[]) => void;
  isSaving: boolean;
  error: unknown;
  /** Told whether there are changes that are not sent. */
  onChange: (hasChanges: boolean) => void;
};

/** More forms at once would help nobody. The others open from the list of all segments. */
const MOST_FORMS = 20;

/** The message by its segments. While it waits, those at fault are forms, and any other can become one. */
export function Repair({ message, save, isSaving, error, onChange }: Props) {
  const faults = faultsOf(message);
  const [opened, setOpened] = useState<number[]>([]);
  const [values, setValues] = useState<Record<string, string>>({});
  const [removed, setRemoved] = useState<number[]>([]);
  const isWaiting = message.state === 'failed';
  const changes = changesOf(message, values, removed);
  const hasChanges = isWaiting && changes.length > 0;
  useEffect(() => onChange(hasChanges), [hasChanges, onChange]);
  if (!message.is_shown || message.segments.length === 0) return null;

  const inForm = [...new Set([...faults.slice(0, MOST_FORMS).map(({ segment }) => segment.number), ...opened])];
  return (
    <>
      {isWaiting && (
        <Section title="Mend the message">
          <form
            onSubmit={(event) => {
              event.preventDefault();
              save(changes);
            }}
          >
            <Stack gap="lg">
              {inForm.length === 0 && (
                <Text c="dimmed">No single field is at fault. Choose below what you want to change.</Text>
              )}
              {inForm.map((number) => (
                <SegmentForm
                  key={number}
                  segment={message.segments.find((segment) => segment.number === number) as never}
                  faults={faults.filter(({ segment }) => segment.number === number)}
                  values={values}
                  change={(key, value) => setValues((before) => ({ ...before, [key]: value }))}
                  isRemoved={removed.includes(number)}
                  remove={(is) =>
                    setRemoved((before) => [...before.filter((at) => at !== number), ...(is ? [number] : [])])
                  }
                />
              ))}
              <Refusal error={error} />
              <Group gap="sm">
                <Button type="submit" loading={isSaving} disabled={changes.length === 0}>
                  Mend and send through
                </Button>
                <Text size="sm" c="dimmed" role="status">
                  {changes.length === 0 ? 'Nothing is changed yet.' : countOf(changes.length)}
                </Text>
              </Group>
            </Stack>
          </form>
        </Section>
      )}
      <Section title="The whole message">
        <Segments
          segments={message.segments}
          faults={faults}
          inForm={inForm}
          {...(isWaiting && { open: (number: number) => setOpened((before) => [...before, number]) })}
        />
      </Section>
    </>
  );
}

const countOf = (count: number): string => (count === 1 ? '1 change' : `${count} changes`);

/** Only what differs from the message. A segment that is removed needs no other change. */
function changesOf({ segments }: Message, values: Record<string, string>, removed: number[]): Change[] {
  const written = Object.entries(values).flatMap(([key, value]) => {
    const [segment = 0, field = 0] = key.split('.').map(Number);
    const before = segments.find(({ number }) => number === segment)?.fields[field] ?? '';
    return removed.includes(segment) || value === before ? [] : [{ segment, field, value }];
  });
  return [...removed.map((segment) => ({ segment, remove: true })), ...written];
}
