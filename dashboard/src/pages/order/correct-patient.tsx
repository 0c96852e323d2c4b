import { Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { phial, unwrap } from '../../api/client.ts';
import { readAgain } from '../../api/queries.ts';
import { useProblems } from '../../parts/field-problems.ts';
import { FormModal } from '../../parts/form-modal.tsx';
import {
  AddressFields,
  EMPTY_ADDRESS,
  EMPTY_PATIENT,
  filledWith,
  PatientFields,
  type Gender,
} from '../../parts/patient-fields.tsx';
import { FormRefusal } from '../../parts/refusal.tsx';
import type { Order } from './order-query.ts';

type CorrectPatientProps = { order: Order; close: () => void; done: () => void };

/** The places in the body of what has a field. */
const FIELDS = [
  ...Object.keys(EMPTY_PATIENT).map((name) => `patient_details.${name}`),
  ...Object.keys(EMPTY_ADDRESS).map((name) => `patient_address.${name}`),
];

/** Corrects who is tested, and the address. The service says when it is too late. */
export function CorrectPatient({ order, close, done }: CorrectPatientProps) {
  const [patient, setPatient] = useState(() => filledWith(EMPTY_PATIENT, order.patient_details));
  const [address, setAddress] = useState(() => filledWith(EMPTY_ADDRESS, order.patient_address));
  const { receiver_name: _, phone_number: __, ...patient_address } = address;
  const body = { patient_details: { ...patient, gender: patient.gender as Gender }, patient_address };
  const correction = useMutation({
    mutationFn: () =>
      unwrap(phial.PATCH('/v3/order/{order_id}/patient_details', { params: { path: { order_id: order.id } }, body })),
    onSuccess: async () => {
      close();
      done();
      await readAgain('order', 'orders');
    },
  });
  const problems = useProblems(correction.error, body, FIELDS);
  const problemIn = (part: string) => (field: string) => problems.at(part, field);
  return (
    <FormModal
      close={close}
      title="Correct patient data"
      action="Correct"
      size="lg"
      run={correction}
      refusal={<FormRefusal error={correction.error} problems={problems} />}
    >
      <Text size="sm">
        Only this order changes, and its laboratory gets the corrected data. The profile of the user and other orders
        keep what they have.
      </Text>
      <PatientFields value={patient} onChange={setPatient} problem={problemIn('patient_details')} />
      <AddressFields
        legend="Address of the patient"
        hasRecipient={false}
        value={address}
        onChange={setAddress}
        problem={problemIn('patient_address')}
      />
    </FormModal>
  );
}
