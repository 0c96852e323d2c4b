// Who is tested: the part that an order with a known patient and the registration of a kit share.
import { Checkbox, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { phial, unwrap } from '../api/client.ts';
import { readAgain } from '../api/queries.ts';
import {
  AddressFields,
  EMPTY_ADDRESS,
  EMPTY_PATIENT,
  filledWith,
  PatientFields,
  type Address,
  type Gender,
  type Patient,
} from './patient-fields.tsx';
import { fullName, usePerson } from './people.tsx';
import { NOBODY_SIGNS, SigningFields, signingOf } from './signing-fields.tsx';

export const NOBODY = { patient: EMPTY_PATIENT, address: EMPTY_ADDRESS, signing: NOBODY_SIGNS, isUser: true };
export type Tested = typeof NOBODY;

/** The places in the body of what has a field, for `useProblems`. */
export const TESTED_FIELDS = [
  ...Object.keys(EMPTY_PATIENT).map((name) => `patient_details.${name}`),
  ...Object.keys(EMPTY_ADDRESS).map((name) => `patient_address.${name}`),
  ...Object.keys(NOBODY_SIGNS.physician).map((name) => `physician.${name}`),
];

/** Who is tested, as the body of an order has it. */
export const testedIn = ({ patient, address, signing }: Tested) => ({
  patient_details: { ...patient, gender: patient.gender as Gender },
  patient_address: { ...address, receiver_name: fullName(patient) ?? '', phone_number: patient.phone_number },
  ...signingOf(signing),
});

/** Stores the patient as the demographics of the user, who has none. The order stands, whatever comes of this. */
export async function keepPerson(user_id: string, { patient, address }: Tested): Promise<void> {
  const { receiver_name: _, phone_number: __, ...place } = address;
  const body = { ...patient, gender: patient.gender as Gender, address: place };
  await phial.PATCH('/v2/user/{user_id}/info', { params: { path: { user_id } }, body });
  await readAgain('people', 'user_info', 'users_by_person');
}

type TestedFieldsProps = {
  userId: string | null;
  value: Tested;
  onChange: (value: Tested) => void;
  problem: (...path: string[]) => string | undefined;
};

/** The fields about the patient. What is known of the user is filled in, unless somebody has written already. */
export function TestedFields({ userId, value, onChange, problem }: TestedFieldsProps) {
  const person = usePerson(userId);
  const { data: info } = useQuery({
    queryKey: ['user_info', userId],
    queryFn: () => unwrap(phial.GET('/v2/user/{user_id}/info/latest', { params: { path: { user_id: userId ?? '' } } })),
    enabled: Boolean(person),
  });
  const filled = useRef<Patient>(EMPTY_PATIENT);
  useEffect(() => {
    // What somebody wrote stays. What was filled in goes with the user of whom it was.
    if (value.patient !== filled.current) return;
    filled.current = info ? filledWith(EMPTY_PATIENT, info) : EMPTY_PATIENT;
    onChange({ ...value, patient: filled.current, address: filledWith<Address>(EMPTY_ADDRESS, info?.address ?? null) });
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [info]);
  const problemIn = (part: string) => (field: string) => problem(part, ...field.split('.'));
  return (
    <>
      {info && <Text size="sm">The demographics of this user are filled in. Change what differs for this order.</Text>}
      <PatientFields
        value={value.patient}
        onChange={(patient) => onChange({ ...value, patient })}
        problem={problemIn('patient_details')}
      />
      <AddressFields
        legend="Address of the patient"
        hasRecipient={false}
        value={value.address}
        onChange={(address) => onChange({ ...value, address })}
        problem={problemIn('patient_address')}
      />
      <SigningFields
        value={value.signing}
        onChange={(signing) => onChange({ ...value, signing })}
        problem={(field) => problem(...field.split('.'))}
      />
      {userId !== null && person === null && (
        <Checkbox
          label="This patient is the user: keep these details as the user’s demographics"
          checked={value.isUser}
          onChange={({ currentTarget }) => onChange({ ...value, isUser: currentTarget.checked })}
        />
      )}
    </>
  );
}
