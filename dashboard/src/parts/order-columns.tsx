import { Anchor } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ComponentProps } from 'react';
import type { Column } from './data-table.tsx';
import { Interpretation, methodInWords } from './order-status.tsx';
import { Time } from './time.tsx';

type Order = {
  id: string;
  lab_test: { name: string };
  details: { type: Parameters<typeof methodInWords>[0] };
  interpretation: ComponentProps<typeof Interpretation>['value'] | null;
  created_at: string;
};

/** The test of an order, which leads to the page of the order. */
export const TEST_COLUMN: Column<Order> = {
  label: 'Test',
  isHeader: true,
  render: ({ id, lab_test }) => (
    <Anchor component={Link} to={`/orders/${id}`} fw={600}>
      {lab_test.name}
    </Anchor>
  ),
};

export const METHOD_COLUMN: Column<Order> = {
  label: 'Method',
  render: ({ details }) => methodInWords(details.type),
};

export const RESULT_COLUMN: Column<Order> = {
  label: 'Result',
  render: ({ interpretation }) => (interpretation === null ? '–' : <Interpretation value={interpretation} />),
};

export const ORDERED_COLUMN: Column<Order> = {
  label: 'Ordered',
  isOneLine: true,
  render: ({ created_at }) => <Time at={created_at} />,
};
