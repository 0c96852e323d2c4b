import { Button, Menu, NativeSelect, Select, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { phial, unwrap } from '../../api/client.ts';
import { readAgain } from '../../api/queries.ts';
import { useSession } from '../../api/session.tsx';
import { FormModal } from '../../parts/form-modal.tsx';
import { ChevronDownIcon } from '../../parts/icons.tsx';
import { statusInWords } from '../../parts/order-status.tsx';
import { useReadAfter } from '../../parts/read-after.ts';
import { canBeReplaced, isBeforeCollection } from './allowed-actions.ts';
import { CorrectPatient } from './correct-patient.tsx';
import { AddressLines } from './facts.tsx';
import { isOpen, relativesOf, type Order } from './order-query.ts';
import { Register, waitsForRegistration } from './register.tsx';
import { stepsFrom, type FinalStatus } from './steps-of-method.ts';

type Dialog = 'register' | 'cancel' | 'correct' | 'simulate' | 'resend' | 'replace';

/** What can be done with an order. The service decides what is possible, and says why not. */
export function Actions({ order }: { order: Order }) {
  const { environment } = useSession();
  const [dialog, setDialog] = useState<Dialog | null>(null);
  const [said, setSaid] = useState<string | null>(null);
  const [resentAt, setResentAt] = useState<string>();
  // The service makes the new events in the background.
  useReadAfter(resentAt, 'order_events');
  const close = () => setDialog(null);
  const { status } = order.last_event;
  const open = (next: Dialog) => () => {
    setSaid(null);
    setDialog(next);
  };
  return (
    <Stack gap={4} align="flex-end" maw={320}>
      <Menu position="bottom-end">
        <Menu.Target>
          <Button variant="default" rightSection={<ChevronDownIcon size={16} />}>
            Actions
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          {waitsForRegistration(order) && <Menu.Item onClick={open('register')}>Register the kit</Menu.Item>}
          {environment === 'sandbox' && stepsFrom(order).length > 0 && (
            <Menu.Item onClick={open('simulate')}>Simulate a step</Menu.Item>
          )}
          {canBeReplaced(status) && !relativesOf(order).after && (
            <Menu.Item onClick={open('replace')}>{replacementOf(order)}</Menu.Item>
          )}
          {order.patient_details !== null && isBeforeCollection(status) && (
            <Menu.Item onClick={open('correct')}>Correct patient data</Menu.Item>
          )}
          <Menu.Item onClick={open('resend')}>Send its webhooks again</Menu.Item>
          {isOpen(status) && (
            <Menu.Item color="red" onClick={open('cancel')}>
              Cancel the order
            </Menu.Item>
          )}
        </Menu.Dropdown>
      </Menu>
      <Text size="sm" role="status">
        {said}
      </Text>
      {dialog === 'register' && <Register order={order} close={close} />}
      {dialog === 'cancel' && <Cancel order={order} close={close} />}
      {dialog === 'correct' && (
        <CorrectPatient order={order} close={close} done={() => setSaid('The patient data are corrected.')} />
      )}
      {dialog === 'simulate' && <Simulate order={order} close={close} />}
      {dialog === 'resend' && (
        <Resend
          order={order}
          close={close}
          done={() => {
            setSaid(RESENT);
            setResentAt(new Date().toISOString());
          }}
        />
      )}
      {dialog === 'replace' && <Replace order={order} close={close} />}
    </Stack>
  );
}

const RESENT = 'Its webhooks are on their way again. “What happened” shows what becomes of them.';

const replacementOf = ({ details, last_event }: Order): string =>
  details.type === 'testkit' && !/sample_error/.test(last_event.status) ? 'Order a replacement kit' : 'Order a redraw';

type DialogProps = { order: Order; close: () => void };

function Cancel({ order, close }: DialogProps) {
  const change = useChange(close, () =>
    unwrap(phial.POST('/v3/order/{order_id}/cancel', { params: { path: { order_id: order.id } } })),
  );
  return (
    <FormModal
      title="Cancel this order?"
      action="Cancel the order"
      leave="Keep the order"
      isFinal
      run={change}
      close={close}
    >
      <Text>The laboratory is told, and the order ends. This cannot be taken back.</Text>
    </FormModal>
  );
}

function Resend({ order, close, done }: DialogProps & { done: () => void }) {
  const end = (): void => {
    close();
    done();
  };
  const change = useChange(end, () =>
    unwrap(phial.POST('/v3/order/resend_events', { body: { order_ids: [order.id] } })),
  );
  return (
    <FormModal title="Send its webhooks again?" action="Send again" run={change} close={close}>
      <Text>
        Every event of this order goes again to the endpoints that subscribe to it now, as a new message with an id of
        its own.
      </Text>
    </FormModal>
  );
}

function Replace({ order, close }: DialogProps) {
  const navigate = useNavigate();
  const address = order.shipping_details ?? order.patient_address;
  const change = useChange(close, async () => {
    const { order: made } = await unwrap(
      phial.POST('/v3/order/{order_id}/replacement', { params: { path: { order_id: order.id } } }),
    );
    void navigate({ to: `/orders/${made.id}` });
  });
  return (
    <FormModal title={`${replacementOf(order)}?`} action="Order" run={change} close={close}>
      <Text>The same test begins again for the same patient, as a part of the same order with a page of its own.</Text>
      {order.details.type === 'testkit' && address && (
        <div>
          <Text fw={600}>It goes to</Text>
          <AddressLines address={address} />
        </div>
      )}
    </FormModal>
  );
}

const MEANINGS = ['normal', 'abnormal', 'critical', 'unknown'] as const;

function Simulate({ order, close }: DialogProps) {
  const steps = stepsFrom(order);
  // After its result an order can only have it corrected.
  const isEnded = !isOpen(order.last_event.status);
  const [to, setTo] = useState<FinalStatus | null>(isEnded ? (steps[0] ?? null) : null);
  const [meaning, setMeaning] = useState<(typeof MEANINGS)[number]>('normal');
  const hasResults = to === null || /completed|corrected|partial_results/.test(to);
  const change = useChange(close, () =>
    unwrap(
      phial.POST('/v3/order/{order_id}/test', {
        params: { path: { order_id: order.id }, query: to === null ? {} : { final_status: to } },
        body: hasResults ? { interpretation: meaning } : {},
      }),
    ),
  );
  return (
    <FormModal
      title="Simulate a step"
      action="Simulate"
      run={change}
      close={close}
      isWhole={!waitsForRegistration(order) || !order.last_event.status.endsWith('.with_customer')}
    >
      <Text>The order goes through every step until the one you choose, as a real one would, with its webhooks.</Text>
      {waitsForRegistration(order) && (
        <Text fw={600}>
          This kit has no patient yet, so it goes no further than to the patient. Choose “Register the kit” under
          Actions, then simulate the rest.
        </Text>
      )}
      <Select
        label="Go to"
        placeholder="The result"
        clearable={!isEnded}
        data={steps.map((value) => ({ value, label: statusInWords(value) }))}
        value={to}
        onChange={(value) => setTo(value as FinalStatus | null)}
      />
      {hasResults && (
        <NativeSelect
          label="Results are"
          data={[...MEANINGS]}
          value={meaning}
          onChange={({ currentTarget }) => setMeaning(currentTarget.value as typeof meaning)}
        />
      )}
    </FormModal>
  );
}

function useChange(close: () => void, act: () => Promise<unknown>) {
  return useMutation({
    mutationFn: act,
    onSuccess: async () => {
      close();
      await readAgain('order', 'orders', 'order_events', 'event_attempts', 'order_counts', 'critical_results');
    },
  });
}
