import { Checkbox, Group, Paper, SimpleGrid, Text, Textarea, Title } from '@mantine/core';
import { reasonInWords } from '../../parts/message-reasons.ts';
import { FIELDS, isRemovable } from './field-names.ts';
import type { Fault, Segment } from './message-query.ts';
import classes from './message.module.css';

/** The longest value that a repair takes. A document is longer: it can only be removed. */
const LONGEST = 65_536;

type Props = {
  segment: Segment;
  faults: Fault[];
  /** By `segment.field`, what was typed. */
  values: Record<string, string>;
  change: (key: string, value: string) => void;
  isRemoved: boolean;
  remove: (is: boolean) => void;
};

/** The fields of one segment as a form, those at fault first and marked. */
export function SegmentForm({ segment, faults, values, change, isRemoved, remove }: Props) {
  const { number, name, fields } = segment;
  const faulty = new Map(faults.flatMap((fault) => fault.fields.map((field) => [field, fault.reason] as const)));
  const known = Object.entries(FIELDS[name] ?? {}).map(([field, text]) => [Number(field), text] as const);
  const sorted = [...known.filter(([field]) => faulty.has(field)), ...known.filter(([field]) => !faulty.has(field))];
  const whole = faults.filter((fault) => fault.fields.length === 0);
  return (
    <Paper withBorder p="md" component="section" aria-label={`Segment ${number}`} className={classes['form']}>
      <Group justify="space-between" mb="sm">
        <Title order={3}>
          {name} <span className={classes['number']}>segment {number}</span>
        </Title>
        {isRemovable(name) && (
          <Checkbox
            label="Remove this segment"
            checked={isRemoved}
            onChange={({ currentTarget }) => remove(currentTarget.checked)}
          />
        )}
      </Group>
      {whole.map(({ reason }) => (
        <Text key={reason} size="sm" c="var(--mantine-color-error)" mb="sm">
          {reasonInWords(reason)}
        </Text>
      ))}
      {!isRemoved && (
        <SimpleGrid cols={{ base: 1, sm: 2, lg: 3 }} spacing="md">
          {sorted.map(([field, { label, hint }]) => {
            const before = fields[field] ?? '';
            const key = `${number}.${field}`;
            const reason = faulty.get(field);
            const isTooLong = before.length > LONGEST;
            const isMended = values[key] !== undefined && values[key] !== before;
            return (
              <Textarea
                key={field}
                label={`${label} (${name}-${field})`}
                description={isTooLong ? 'Too long to be changed here. Remove the segment, or discard.' : hint}
                error={reason !== undefined && !isMended && reasonInWords(reason)}
                autosize
                minRows={1}
                maxRows={6}
                maxLength={LONGEST}
                disabled={isTooLong}
                classNames={{ input: classes['code'] as string }}
                value={isTooLong ? `${before.slice(0, 100)}…` : (values[key] ?? before)}
                // A line feed would end the segment.
                onChange={({ currentTarget }) => change(key, currentTarget.value.replaceAll(/[\r\n]+/g, ' '))}
              />
            );
          })}
        </SimpleGrid>
      )}
      {isRemoved && <Text c="dimmed">It is left out of the mended message.</Text>}
    </Paper>
  );
}
