import { Anchor, Group, Stack } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { Interpretation, OrderStatus } from '../../parts/order-status.tsx';
import { Overdue, useOverdue } from '../../parts/overdue.tsx';
import { Page } from '../../parts/page.tsx';
import { Section } from '../../parts/section.tsx';
import { inWords, StatusBadge } from '../../parts/status-badge.tsx';
import { Loaded } from '../../parts/states.tsx';
import { CalendarDate, ViewersTime } from '../../parts/time.tsx';
import { Actions } from './actions.tsx';
import { Critical } from './critical.tsx';
import { Documents } from './documents.tsx';
import { Facts, OrderLink, PatientFacts } from './facts.tsx';
import { Messages } from './messages.tsx';
import { Notes } from './notes.tsx';
import { isOpen, orderQuery, relativesOf, type Order } from './order-query.ts';
import classes from './page.module.css';
import { Results } from './results.tsx';
import { Timeline } from './timeline.tsx';

export default function OrderPage() {
  const { order: id } = useParams({ strict: false }) as { order: string };
  const query = useQuery(orderQuery(id));
  const shown = <Loaded query={query}>{(order) => <Shown order={order} />}</Loaded>;
  // A page that says why it shows nothing needs its heading too.
  return query.error && !query.data ? <Page title="Order">{shown}</Page> : shown;
}

function Shown({ order }: { order: Order }) {
  const { patient_details: patient, lab_test } = order;
  const name = patient && `${patient.first_name ?? ''} ${patient.last_name ?? ''}`.trim();
  return (
    <Page
      title={lab_test.name}
      heading={name ? `${lab_test.name} for ${name}` : lab_test.name}
      about={<Summary order={order} />}
      actions={<Actions order={order} />}
    >
      <div className={classes['areas']}>
        <div className={classes['patient']}>
          <PatientFacts order={order} />
        </div>
        <Stack gap="lg" className={classes['main']}>
          <Critical order={order} />
          <Results order={order} />
          <Section title="What happened">
            <Timeline order={order} />
          </Section>
          <Messages order={order} />
        </Stack>
        <Stack gap="lg" className={classes['side']}>
          <Facts order={order} />
          <Documents order={order} />
          <Notes orderId={order.id} />
        </Stack>
      </div>
    </Page>
  );
}

function Summary({ order }: { order: Order }) {
  const { last_event, interpretation, has_results_in_review, expected_result_by_date, user_id } = order;
  const { before, after } = relativesOf(order);
  const isOverdue = useOverdue([order.id]).has(order.id);
  return (
    <Group gap="xs" component="span">
      <OrderStatus status={last_event.status} />
      {last_event.status_detail !== null && <span>{inWords(last_event.status_detail)}</span>}
      {interpretation !== null && <Interpretation value={interpretation} />}
      {has_results_in_review && <StatusBadge tone="warning">Results in review</StatusBadge>}
      {isOverdue && <Overdue order={order} />}
      {isOpen(last_event.status) && expected_result_by_date !== null && (
        <span>
          Results expected by <CalendarDate date={expected_result_by_date} />
        </span>
      )}
      {before && (
        <span>
          {order.origin === 'redraw' ? 'The new sample for' : 'The replacement of'} <OrderLink id={before} />
        </span>
      )}
      {after && (
        <span>
          Replaced by <OrderLink id={after.id} />
        </span>
      )}
      <Anchor component={Link} to={`/users/${user_id}`}>
        The user of this order
      </Anchor>
      <ViewersTime />
    </Group>
  );
}
