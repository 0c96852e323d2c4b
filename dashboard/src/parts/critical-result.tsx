// What is critical and of whom, and who did what about it: as the list, its dialogues and the page of an order show it.
import { Badge, Group, Stack, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import type { components } from '../api/client.ts';
import { NameAndBirth } from './people.tsx';
import { Time } from './time.tsx';
import { withUnit } from './unit.ts';

export type CriticalEntry = components['schemas']['CriticalResultEntry'];
type Marker = CriticalEntry['markers'][number];

/** Critical values, each with its range. `beside` is shown after a value. */
export function CriticalMarkers({ of, beside }: { of: Marker[]; beside?: (marker: Marker) => ReactNode }) {
  return (
    <Stack gap={4}>
      {of.map((marker) => (
        <Group key={`${marker.name} ${marker.result}`} gap="xs">
          <Text fw={600}>{marker.name}</Text>
          <Badge color="red" variant="light" tt="none" size="lg">
            {withUnit(marker.result, marker.unit)}
          </Badge>
          <Text size="sm" c="dimmed">
            {marker.reference_range === null
              ? 'no range reported'
              : `range ${withUnit(marker.reference_range, marker.unit)}`}
          </Text>
          {beside?.(marker)}
        </Group>
      ))}
    </Stack>
  );
}

/** Whose result it is, and what is critical: somebody reads this out on the telephone. */
export function CriticalSummary({ entry: { order, client_user_id, markers } }: { entry: CriticalEntry }) {
  return (
    <Stack gap={6}>
      <Text fw={600}>
        {order.patient ? <NameAndBirth of={order.patient} /> : `The patient ${client_user_id}`}
        {order.sample_id !== null && `, sample ${order.sample_id}`}
      </Text>
      <CriticalMarkers of={markers} />
    </Stack>
  );
}

/** Who acknowledged and who signed off. */
export function Decided({ entry: { acknowledgement, sign_off } }: { entry: CriticalEntry }) {
  if (!acknowledgement) return null;
  const { acknowledged_by, acknowledged_at, called_person, called_at, read_back, note } = acknowledgement;
  return (
    <Stack gap={2} mt="md">
      <Text size="sm">
        Acknowledged by {acknowledged_by}, <Time at={acknowledged_at} />
        {called_person === null ? '. Nobody is named who was called' : `. ${called_person} was called`}
        {called_at !== null && (
          <>
            {' '}
            at <Time at={called_at} />
          </>
        )}
        {read_back === true && ', and read the values back'}
        {read_back === false && ', without reading the values back'}.
      </Text>
      {note !== null && <Text size="sm">{note}</Text>}
      {sign_off && (
        <Text size="sm">
          Signed off by {sign_off.signed_off_by}, <Time at={sign_off.signed_off_at} />.{' '}
          {sign_off.note !== null && sign_off.note}
        </Text>
      )}
    </Stack>
  );
}
