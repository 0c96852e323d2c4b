import { Anchor, Grid, Group, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { Interpretation, OrderStatus } from '../../parts/order-status.tsx';
import { Page } from '../../parts/page.tsx';
import { Section } from '../../parts/section.tsx';
import { StatusBadge } from '../../parts/status-badge.tsx';
import { Loaded } from '../../parts/states.tsx';
import { CalendarDate } from '../../parts/time.tsx';
import { Actions } from './actions.tsx';
import { Critical } from './critical.tsx';
import { Documents } from './documents.tsx';
import { Facts } from './facts.tsx';
import { Messages } from './messages.tsx';
import { Notes } from './notes.tsx';
import { isOpen, orderQuery, type Order } from './order-query.ts';
import { Results } from './results.tsx';
import { Timeline } from './timeline.tsx';

export default function OrderPage() {
  const { order: id } = useParams({ strict: false }) as { order: string };
  const query = useQuery(orderQuery(id));
  return <Loaded query={query}>{(order) => <Shown order={order} />}</Loaded>;
}

function Shown({ order }: { order: Order }) {
  return (
    <Page title={order.lab_test.name} about={<Summary order={order} />} actions={<Actions order={order} />}>
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, md: 8 }}>
          <Stack gap="lg">
            <Critical order={order} />
            <Results order={order} />
            <Section title="What happened">
              <Timeline order={order} />
            </Section>
            <Messages order={order} />
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 4 }}>
          <Stack gap="lg">
            <Facts order={order} />
            <Documents order={order} />
            <Notes orderId={order.id} />
          </Stack>
        </Grid.Col>
      </Grid>
    </Page>
  );
}

function Summary({ order }: { order: Order }) {
  const { last_event, interpretation, has_results_in_review, expected_result_by_date, user_id } = order;

  return (
    <Group gap="xs" component="span">
      <OrderStatus status={last_event.status} />
      {interpretation !== null && <Interpretation value={interpretation} />}
      {has_results_in_review && <StatusBadge tone="warning">Results in review</StatusBadge>}
      {isOpen(last_event.status) && expected_result_by_date !== null && (
        <span>
          Results expected by <CalendarDate date={expected_result_by_date} />
        </span>
      )}
      <Anchor component={Link} to={`/users/${user_id}`}>
        The user of this order
      </Anchor>
    </Group>
  );
}
