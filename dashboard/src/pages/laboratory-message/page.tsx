import { Anchor, Button, Group, Text } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { phial, unwrap } from '../../api/client.ts';
import { readAgain } from '../../api/queries.ts';
import { useTeamPath } from '../../api/session.tsx';
import { FactList } from '../../parts/fact-list.tsx';
import { FormModal } from '../../parts/form-modal.tsx';
import { useLaboratoryName } from '../../parts/laboratories.ts';
import { reasonInWords, todoFor } from '../../parts/message-reasons.ts';
import { MessageStateBadge } from '../../parts/message-state.tsx';
import { Page } from '../../parts/page.tsx';
import { NameAndBirth } from '../../parts/people.tsx';
import { Refusal } from '../../parts/refusal.tsx';
import { Section } from '../../parts/section.tsx';
import { Loaded } from '../../parts/states.tsx';
import { inWords } from '../../parts/status-badge.tsx';
import { Time } from '../../parts/time.tsx';
import { UnsavedChanges } from '../../parts/unsaved-changes.tsx';
import { messageQuery, type Message } from './message-query.ts';
import { Notice } from './notice.tsx';
import { Repair, type Change } from './repair.tsx';
import { WhatHappened } from './what-happened.tsx';

export default function LaboratoryMessagePage() {
  const { message: id } = useParams({ strict: false }) as { message: string };
  const query = useQuery(messageQuery(useTeamPath(), id));
  return <Loaded query={query}>{(message) => <Shown key={message.id} message={message} />}</Loaded>;
}

export type Decision = { action: 'repair'; changes: Change[] } | { action: 'replay' | 'discard' };

function Shown({ message }: { message: Message }) {
  const [isAsking, setAsking] = useState(false);
  const [hasChanges, setHasChanges] = useState(false);
  const decide = useDecision(message.id);
  const isWaiting = message.state === 'failed';
  const discard = () => {
    setAsking(false);
    decide.mutate({ action: 'discard' });
  };
  return (
    <Page
      title={`Message ${message.control_id || 'without an id'}`}
      about={<About message={message} />}
      actions={
        isWaiting && (
          <>
            {hasChanges && <Text c="dimmed">Your changes are not sent yet.</Text>}
            <Button
              variant="default"
              disabled={hasChanges}
              loading={decide.isPending && decide.variables.action === 'replay'}
              onClick={() => decide.mutate({ action: 'replay' })}
            >
              Send through again
            </Button>
            <Button
              variant="default"
              loading={decide.isPending && decide.variables.action === 'discard'}
              onClick={() => setAsking(true)}
            >
              Discard
            </Button>
          </>
        )
      }
    >
      <UnsavedChanges has={hasChanges} />
      {decide.data && <WhatHappened message={message} outcome={decide.data} />}
      {decide.variables?.action !== 'repair' && <Refusal error={decide.error} />}
      {isWaiting && message.reason !== null && !decide.data && <Why message={message} reason={message.reason} />}
      <Repair
        message={message}
        save={(changes) => decide.mutate({ action: 'repair', changes })}
        isSaving={decide.isPending && decide.variables.action === 'repair'}
        error={decide.variables?.action === 'repair' ? decide.error : null}
        onChange={setHasChanges}
      />
      <Facts message={message} />
      <FormModal
        isOpen={isAsking}
        close={() => setAsking(false)}
        title="Discard this message?"
        action="Discard it"
        isFinal
        run={{ isPending: decide.isPending, error: null, mutate: discard }}
      >
        <Text>
          What was applied of it stays. What waits is thrown away, and its tests keep the status that the laboratory
          gave them. This cannot be taken back.
        </Text>
      </FormModal>
    </Page>
  );
}

function About({ message: { state, reason, type, lab, order_id } }: { message: Message }) {
  const nameOf = useLaboratoryName();
  const { data: order } = useQuery({
    queryKey: ['order', order_id],
    queryFn: () => unwrap(phial.GET('/v3/order/{order_id}', { params: { path: { order_id: order_id ?? '' } } })),
    enabled: order_id !== null,
    retry: false,
  });
  const patient = order?.patient_details;
  return (
    <Group gap="xs" component="span">
      <MessageStateBadge state={state} reason={reason} />
      <span>
        {type} of {nameOf(lab)}
      </span>
      {order_id !== null && (
        <Anchor component={Link} to={`/orders/${order_id}`}>
          {patient ? (
            <>
              Its order, of <NameAndBirth of={patient} />
            </>
          ) : (
            'Its order'
          )}
        </Anchor>
      )}
    </Group>
  );
}

function Why({ message, reason }: { message: Message; reason: string }) {
  return (
    <Notice tone="warning" title={reasonInWords(reason)}>
      <Text>{todoFor(reason)}</Text>
      {message.is_partly_applied && <Text>Everything else of the message is on the order already.</Text>}
      {!message.is_shown && (
        <Text>Its content is not shown here: it may be about another person, or its text was deleted.</Text>
      )}
    </Notice>
  );
}

function Facts({ message: { reason, state, warnings, received_at, control_id, type } }: { message: Message }) {
  return (
    <Section title="About the message">
      <FactList
        facts={[
          ['Received', <Time key="received" at={received_at} />],
          ['Id at the laboratory', control_id],
          ['Type', type],
          ['Outcome', state === 'failed' || reason === null ? null : reasonInWords(reason)],
          ['Left out, or read as it was', warnings.map(inWords).join(', ')],
        ]}
      />
    </Section>
  );
}

function useDecision(message_id: string) {
  const path = { ...useTeamPath(), message_id };
  return useMutation({
    mutationFn: (decision: Decision) => {
      const at = '/v1/org/{org_id}/team/{team_id}/{environment}/laboratory_message/{message_id}' as const;
      const params = { path };
      if (decision.action === 'repair')
        return unwrap(phial.POST(`${at}/repair`, { params, body: { changes: decision.changes } }));
      return unwrap(phial.POST(decision.action === 'replay' ? `${at}/replay` : `${at}/discard`, { params }));
    },
    onSuccess: () =>
      readAgain(
        'laboratory_message',
        'laboratory_messages',
        'unmatched_results',
        'order',
        'orders',
        'order_counts',
        'critical_results',
      ),
  });
}
