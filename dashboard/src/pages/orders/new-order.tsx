import { Button, SegmentedControl, Select, SimpleGrid, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { phial, unwrap } from '../../api/client.ts';
import { useSession } from '../../api/session.tsx';
import { problemOf } from '../../parts/field-problems.ts';
import { FormModal } from '../../parts/form-modal.tsx';
import { methodInWords } from '../../parts/order-status.tsx';
import { UserSelect } from '../../parts/user-select.tsx';
import {
  AddressFields,
  EMPTY_ADDRESS,
  EMPTY_PATIENT,
  PatientFields,
  type Address,
  type Gender,
  type Patient,
} from '../../parts/patient-fields.tsx';

type Kind = 'known' | 'later';
const NO_PHYSICIAN = { first_name: '', last_name: '', npi: '' };

/** The button that opens the form for an order. */
export function NewOrder() {
  const [isOpen, { open, close }] = useDisclosure(false);
  return (
    <>
      <Button onClick={open}>New order</Button>
      {isOpen && <OrderForm close={close} />}
    </>
  );
}

function OrderForm({ close }: { close: () => void }) {
  const [kind, setKind] = useState<Kind>('known');
  const [userId, setUserId] = useState<string | null>(null);
  const [testId, setTestId] = useState<string | null>(null);
  const [patient, setPatient] = useState(EMPTY_PATIENT);
  const [address, setAddress] = useState(EMPTY_ADDRESS);
  const [physician, setPhysician] = useState(NO_PHYSICIAN);
  const order = useOrder({ kind, userId, testId, patient, address, physician }, close);
  const problemIn =
    (part: string) =>
    (field: string): string | undefined =>
      problemOf(order.error, part, field);
  return (
    <FormModal title="New order" action="Order" size="lg" run={order} close={close}>
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
      <TestSelect kind={kind} value={testId} onChange={setTestId} />
      {kind === 'known' && (
        <>
          <PatientFields value={patient} onChange={setPatient} problem={problemIn('patient_details')} />
          <Physician value={physician} onChange={setPhysician} problem={problemIn('physician')} />
        </>
      )}
      <AddressFields
        legend={kind === 'later' ? 'Send the kit to' : 'Address of the patient'}
        hasRecipient={kind === 'later'}
        value={address}
        onChange={setAddress}
        problem={problemIn(kind === 'later' ? 'shipping_details' : 'patient_address')}
      />
    </FormModal>
  );
}

type TestSelectProps = { kind: Kind; value: string | null; onChange: (testId: string | null) => void };

function TestSelect({ kind, value, onChange }: TestSelectProps) {
  const { team } = useSession();
  const { data } = useQuery({
    queryKey: ['lab_tests', team?.id, kind],
    queryFn: () => {
      const onlyKits = kind === 'later' && { collection_method: 'testkit' as const };
      return unwrap(
        phial.GET('/v3/lab_test', { params: { query: { status: 'active', lab_test_limit: 100, ...onlyKits } } }),
      );
    },
  });
  return (
    <Select
      label="Test"
      required
      searchable
      data={(data?.data ?? []).map(({ id, name, method }) => ({
        value: id,
        label: `${name} (${methodInWords(method).toLowerCase()})`,
      }))}
      value={value}
      onChange={onChange}
    />
  );
}

type Filled = {
  kind: Kind;
  userId: string | null;
  testId: string | null;
  patient: Patient;
  address: Address;
  physician: typeof NO_PHYSICIAN;
};

/** Makes the order, and leads to its page. */
function useOrder({ kind, userId, testId, patient, address, physician }: Filled, close: () => void) {
  const navigate = useNavigate();
  const queries = useQueryClient();
  return useMutation({
    mutationFn: () => {
      const [user_id, lab_test_id] = [userId ?? '', testId ?? ''];
      if (kind === 'later')
        return unwrap(phial.POST('/v3/order/testkit', { body: { user_id, lab_test_id, shipping_details: address } }));
      const body = {
        user_id,
        order_set: { lab_test_ids: [lab_test_id] },
        patient_details: { ...patient, gender: patient.gender as Gender },
        patient_address: { ...address, receiver_name: nameOf(patient), phone_number: patient.phone_number },
        ...(physician.npi !== '' && { physician }),
      };
      return unwrap(phial.POST('/v3/order', { body }));
    },
    onSuccess: ({ order: made }) => {
      void queries.invalidateQueries({ queryKey: ['orders'] });
      close();
      void navigate({ to: `/orders/${made.id}` });
    },
  });
}

const nameOf = ({ first_name, last_name }: Patient): string => `${first_name} ${last_name}`.trim();

type PhysicianProps = {
  value: typeof NO_PHYSICIAN;
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
