import { Radio, Stack, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { phial, unwrap } from '../../api/client.ts';
import { useSession } from '../../api/session.tsx';
import { Refusal } from '../../parts/refusal.tsx';
import { OrderInWords } from './order-in-words.tsx';

/** More are too many to choose from: more words find fewer. */
const SHOWN = 5;

type FindOrderProps = {
  /** The id of the chosen order. Empty: none. */
  value: string;
  onChange: (orderId: string) => void;
  problem: string | undefined;
};

/** Finds an order by what people know of it, and lets them choose one that exists. */
export function FindOrder({ value, onChange, problem }: FindOrderProps) {
  const { team } = useSession();
  const [typed, setTyped] = useState('');
  const [search] = useDebouncedValue(typed.trim(), 300);
  const { data, error } = useQuery({
    queryKey: ['orders', 'found', team?.id, search],
    queryFn: () =>
      unwrap(phial.GET('/v3/orders', { params: { query: { search_input: search, page: 1, size: SHOWN } } })),
    enabled: search !== '',
    retry: false,
  });
  const found = typed.trim() === search ? data : undefined;
  return (
    <Stack gap="sm">
      <TextInput
        label="Find the order"
        description="By the name of the patient, the date of birth as 1988-04-12, the sample id or the id of the order."
        maxLength={200}
        value={typed}
        onChange={({ currentTarget }) => {
          setTyped(currentTarget.value);
          // An order that is no longer shown must not be accepted.
          onChange('');
        }}
        error={problem}
      />
      <div role="status">
        {found?.total === 0 && <Text size="sm">No order matches. A name is found by its whole words.</Text>}
        {found && found.total > SHOWN && (
          <Text size="sm">
            The newest {SHOWN} of {found.total}. Write more to find fewer.
          </Text>
        )}
      </div>
      <Refusal error={error} />
      {found && found.orders.length > 0 && (
        <Radio.Group label="Orders found" value={value} onChange={onChange}>
          <Stack gap="sm" mt="xs">
            {found.orders.map(({ id }) => (
              <Radio key={id} value={id} label={<OrderInWords id={id} />} />
            ))}
          </Stack>
        </Radio.Group>
      )}
    </Stack>
  );
}
