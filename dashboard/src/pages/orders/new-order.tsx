import { Button, Modal, SegmentedControl, Select, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { phial, unwrap } from '../../api/client.ts';
import { useSession } from '../../api/session.tsx';
import { problemOf } from '../../parts/field-problems.ts';
import { methodInWords } from '../../parts/order-status.tsx';
import { describeError } from '../../parts/states.tsx';
import { UserSelect } from '../../parts/user-select.tsx';
import {
  AddressFields,
  EMPTY_ADDRESS,
  EMPTY_PATIENT,
  PatientFields,
  type Gender,
} from '../../parts/patient-fields.tsx';

type Kind = 'known' | 'later';

/** The button that opens the form for an order. */
export function NewOrder() {
  const [isOpen, { open, close }] = useDisclosure(false);
  return (
    <>
      <Button onClick={open}>New order</Button>
      <Modal opened={isOpen} onClose={close} title="New order" size="lg">
        {isOpen && <OrderForm close={close} />}
      </Modal>
    </>
  );
}

function OrderForm({ close }: { close: () => void }) {
  const { team } = useSession();
  const navigate = useNavigate();
  const queries = useQueryClient();
  const [kind, setKind] = useState<Kind>('known');
  const [userId, setUserId] = useState<string | null>(null);
  const [testId, setTestId] = useState<string | null>(null);
  const [patient, setPatient] = useState(EMPTY_PATIENT);
  const [address, setAddress] = useState(EMPTY_ADDRESS);
  const [physician, setPhysician] = useState({ first_name: '', last_name: '', npi: '' });
  const tests = useQuery({
    queryKey: ['lab_tests', team?.id, kind],
    queryFn: () =>
      unwrap(
        phial.GET('/v3/lab_test', {
          params: {
            query: {
              status: 'active',
              lab_test_limit: 100,
              ...(kind === 'later' && { collection_method: 'testkit' as const }),
            },
          },
        }),
      ),
  });
  const order = useMutation({
    mutationFn: async () => {
      const recipient = { ...address, receiver_name: address.receiver_name || nameOf(patient) };
      if (kind === 'later')
        return unwrap(
          phial.POST('/v3/order/testkit', {
            body: { user_id: userId ?? '', lab_test_id: testId ?? '', shipping_details: recipient },
          }),
        );
      return unwrap(
        phial.POST('/v3/order', {
          body: {
            user_id: userId ?? '',
            order_set: { lab_test_ids: [testId ?? ''] },
            patient_details: { ...patient, gender: patient.gender as Gender },
            patient_address: { ...recipient, phone_number: address.phone_number || patient.phone_number },
            ...(physician.npi !== '' && { physician }),
          },
        }),
      );
    },
    onSuccess: ({ order: made }) => {
      void queries.invalidateQueries({ queryKey: ['orders'] });
      close();
      void navigate({ to: `/orders/${made.id}` });
    },
  });
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        order.mutate();
      }}
    >
      <Stack gap="md">
        <SegmentedControl
          aria-label="Kind of order"
          fullWidth
          value={kind}
          onChange={(value) => {
            setKind(value as Kind);
            setTestId(null);
          }}
          data={[
            { value: 'known', label: 'The patient is known' },
            { value: 'later', label: 'A kit to register later' },
          ]}
        />
        <UserSelect label="User" value={userId} onChange={setUserId} error={problemOf(order.error, 'user_id')} />
        <Select
          label="Test"
          required
          searchable
          data={(tests.data?.data ?? []).map(({ id, name, method }) => ({
            value: id,
            label: `${name} (${methodInWords(method).toLowerCase()})`,
          }))}
          value={testId}
          onChange={setTestId}
          error={problemOf(order.error, kind === 'later' ? 'lab_test_id' : 'order_set')}
        />
        {kind === 'known' && (
          <>
            <PatientFields
              value={patient}
              onChange={setPatient}
              problem={(field) => problemOf(order.error, 'patient_details', field)}
            />
            <Physician
              value={physician}
              onChange={setPhysician}
              problem={(field) => problemOf(order.error, 'physician', field)}
            />
          </>
        )}
        <AddressFields
          legend={kind === 'later' ? 'Send the kit to' : 'Address of the patient'}
          hasRecipient={kind === 'later'}
          value={address}
          onChange={setAddress}
          problem={(field) => problemOf(order.error, kind === 'later' ? 'shipping_details' : 'patient_address', field)}
        />
        {order.error && (
          <Text c="var(--mantine-color-error)" role="alert">
            {describeError(order.error).title}
          </Text>
        )}
        <Button type="submit" loading={order.isPending}>
          Order
        </Button>
      </Stack>
    </form>
  );
}

const nameOf = ({ first_name, last_name }: typeof EMPTY_PATIENT): string => `${first_name} ${last_name}`.trim();

type PhysicianProps = {
  value: { first_name: string; last_name: string; npi: string };
  onChange: (value: PhysicianProps['value']) => void;
  problem: (field: string) => string | undefined;
};

function Physician({ value, onChange, problem }: PhysicianProps) {
  const fields = [
    ['first_name', 'First name of the physician'],
    ['last_name', 'Last name of the physician'],
    ['npi', 'NPI'],
  ] as const;
  return (
    <div>
      <SimpleGrid cols={{ base: 1, xs: 3 }}>
        {fields.map(([name, label]) => (
          <TextInput
            key={name}
            label={label}
            value={value[name]}
            onChange={({ currentTarget }) => onChange({ ...value, [name]: currentTarget.value })}
            error={problem(name)}
          />
        ))}
      </SimpleGrid>
      <Text size="sm" c="dimmed" mt={4}>
        Leave all three empty if a physician of the laboratory’s network signs.
      </Text>
    </div>
  );
}
