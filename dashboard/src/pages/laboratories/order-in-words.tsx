import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { phial, unwrap } from '../../api/client.ts';
import { statusInWords } from '../../parts/order-status.tsx';
import { describeError } from '../../parts/states.tsx';
import { CalendarDate, Time } from '../../parts/time.tsx';

/** Reads an order, unless the id is empty. */
export const useOrder = (order_id: string) =>
  useQuery({
    queryKey: ['order', order_id],
    queryFn: () => unwrap(phial.GET('/v3/order/{order_id}', { params: { path: { order_id } } })),
    enabled: order_id !== '',
    retry: false,
  });

/** The patient, the test and the day of an order, so that nobody decides by an id alone. */
export function OrderInWords({ id }: { id: string }) {
  const { data: order, error } = useOrder(id);
  if (error)
    return (
      <Text size="sm" c="error" component="span" display="block">
        {describeError(error).title}
      </Text>
    );
  if (!order) return null;
  const { patient_details: patient, lab_test, created_at, last_event, sample_id } = order;
  return (
    <Text size="sm" component="span" display="block">
      {patient ? (
        <>
          {`${patient.first_name ?? ''} ${patient.last_name ?? ''}`.trim()}, born <CalendarDate date={patient.dob} />
        </>
      ) : (
        'Nobody is known'
      )}
      . {lab_test.name}, ordered <Time at={created_at} />
      {sample_id !== null && `, sample ${sample_id}`}. {statusInWords(last_event.status)}.
    </Text>
  );
}
