import { Button, SegmentedControl, Select } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { phial, unwrap } from '../../api/client.ts';
import { readAgain } from '../../api/queries.ts';
import { useSession } from '../../api/session.tsx';
import { useProblems } from '../../parts/field-problems.ts';
import { text, useFilters } from '../../parts/filters.ts';
import { FormModal } from '../../parts/form-modal.tsx';
import { methodInWords } from '../../parts/order-status.tsx';
import { AddressFields, EMPTY_ADDRESS } from '../../parts/patient-fields.tsx';
import { usePerson } from '../../parts/people.tsx';
import { FormRefusal } from '../../parts/refusal.tsx';
import { keepPerson, NOBODY, TESTED_FIELDS, TestedFields, testedIn, type Tested } from '../../parts/tested-person.tsx';
import { UserSelect } from '../../parts/user-select.tsx';

/** The page of a user leads here with the id of the user, for whom the form is then open. */
const FILTERS = { order_for: text(36) };

/** The button that opens the form for an order. One button of a page follows the address. */
export function NewOrder({ followsAddress = false }: { followsAddress?: boolean }) {
  const [{ order_for }, change] = useFilters(FILTERS);
  const userId = followsAddress ? order_for : undefined;
  const [isOpen, { open, close }] = useDisclosure(userId !== undefined);
  const navigate = useNavigate();
  const end = (): void => {
    close();
    if (userId !== undefined) change({ order_for: null });
  };
  const leaveTo = (orderId: string): void => {
    // The address that opened the form goes: Back would open it again, and an order would be placed twice.
    void navigate({ to: `/orders/${orderId}`, replace: userId !== undefined });
  };
  return (
    <>
      <Button onClick={open}>New order</Button>
      {isOpen && <OrderForm forUser={userId ?? null} close={end} leaveTo={leaveTo} />}
    </>
  );
}

type Filled = { isLater: boolean; userId: string | null; testId: string | null; tested: Tested };

const FIELDS = ['user_id', ...TESTED_FIELDS, ...Object.keys(EMPTY_ADDRESS).map((name) => `shipping_details.${name}`)];

type OrderFormProps = { forUser: string | null; close: () => void; leaveTo: (orderId: string) => void };

function OrderForm({ forUser, close, leaveTo }: OrderFormProps) {
  const [filled, setFilled] = useState<Filled>({ isLater: false, userId: forUser, testId: null, tested: NOBODY });
  const change = (changes: Partial<Filled>) => setFilled((before) => ({ ...before, ...changes }));
  const { isLater, userId, testId, tested } = filled;
  const order = useOrder(filled, leaveTo);
  const problems = useProblems(order.error, isLater ? kitBody(filled) : orderBody(filled), FIELDS);
  return (
    <FormModal
      title="New order"
      action="Order"
      size="lg"
      run={order}
      refusal={<FormRefusal error={order.error} problems={problems} />}
      close={close}
    >
      <SegmentedControl
        aria-label="Kind of order"
        fullWidth
        value={isLater ? 'later' : 'known'}
        onChange={(value) => change({ isLater: value === 'later' })}
        data={[
          { value: 'known', label: 'Known patient' },
          { value: 'later', label: 'Register later' },
        ]}
      />
      <UserSelect
        label="User"
        value={userId}
        onChange={(chosen) => change({ userId: chosen })}
        error={problems.at('user_id')}
      />
      <TestSelect onlyKits={isLater} value={testId} onChange={(chosen) => change({ testId: chosen })} />
      {isLater ? (
        <AddressFields
          legend="Send the kit to"
          hasRecipient
          value={tested.address}
          onChange={(address) => change({ tested: { ...tested, address } })}
          problem={(field) => problems.at('shipping_details', field)}
        />
      ) : (
        <TestedFields
          userId={userId}
          value={tested}
          onChange={(changed) => change({ tested: changed })}
          problem={problems.at}
        />
      )}
    </FormModal>
  );
}

type TestSelectProps = { onlyKits: boolean; value: string | null; onChange: (testId: string | null) => void };

/** A kit that is registered later is a kit: tests with another method are no choice then. */
function TestSelect({ onlyKits, value, onChange }: TestSelectProps) {
  const { team } = useSession();
  const { data } = useQuery({
    queryKey: ['lab_tests', team?.id, onlyKits],
    queryFn: () => {
      const method = onlyKits && { collection_method: 'testkit' as const };
      return unwrap(
        phial.GET('/v3/lab_test', { params: { query: { status: 'active', lab_test_limit: 100, ...method } } }),
      );
    },
    placeholderData: (before) => before,
  });
  const tests = (data?.data ?? []).filter(({ method }) => !onlyKits || method === 'testkit');
  return (
    <Select
      label="Test"
      required
      searchable
      data={tests.map(({ id, name, method }) => ({
        value: id,
        label: `${name} (${methodInWords(method).toLowerCase()})`,
      }))}
      value={tests.some(({ id }) => id === value) ? value : null}
      onChange={onChange}
    />
  );
}

const kitBody = ({ userId, testId, tested }: Filled) => ({
  user_id: userId ?? '',
  lab_test_id: testId ?? '',
  shipping_details: tested.address,
});

const orderBody = ({ userId, testId, tested }: Filled) => ({
  user_id: userId ?? '',
  order_set: { lab_test_ids: [testId ?? ''] },
  ...testedIn(tested),
});

/** Makes the order, and leads to its page. */
function useOrder(filled: Filled, leaveTo: (orderId: string) => void) {
  const { isLater, userId, tested } = filled;
  const person = usePerson(userId);
  return useMutation({
    mutationFn: async () => {
      if (isLater) return unwrap(phial.POST('/v3/order/testkit', { body: kitBody(filled) }));
      const made = await unwrap(phial.POST('/v3/order', { body: orderBody(filled) }));
      if (person === null && tested.isUser) await keepPerson(made.order.user_id, tested);
      return made;
    },
    onSuccess: ({ order: { id } }) => {
      void readAgain('orders', 'order_counts');
      leaveTo(id);
    },
  });
}
