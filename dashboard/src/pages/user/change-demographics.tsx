import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { phial, unwrap, type components } from '../../api/client.ts';
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

const FIELDS = [...Object.keys(EMPTY_PATIENT), ...Object.keys(EMPTY_ADDRESS).map((name) => `address.${name}`)];

type ChangeProps = { userId: string; known: components['schemas']['UserInfo'] | null; close: () => void };

/** Stores who the user is. The service replaces all of it, so what has no field here, as a guardian, is sent again. */
export function ChangeDemographics({ userId: user_id, known, close }: ChangeProps) {
  const [patient, setPatient] = useState(() => filledWith(EMPTY_PATIENT, known));
  const [place, setPlace] = useState(() => filledWith(EMPTY_ADDRESS, known?.address ?? null));
  const { receiver_name: _, phone_number: __, ...address } = place;
  const body = { ...known, ...patient, gender: patient.gender as Gender, address: { ...known?.address, ...address } };
  const change = useMutation({
    mutationFn: () => unwrap(phial.PATCH('/v2/user/{user_id}/info', { params: { path: { user_id } }, body })),
    onSuccess: async () => {
      close();
      await readAgain('user_info', 'people', 'users_by_person', 'users_search');
    },
  });
  const problems = useProblems(change.error, body, FIELDS);
  return (
    <FormModal
      title="Demographics"
      action="Keep"
      run={change}
      refusal={<FormRefusal error={change.error} problems={problems} />}
      size="lg"
      close={close}
    >
      <PatientFields value={patient} onChange={setPatient} problem={problems.at} />
      <AddressFields
        legend="Address"
        hasRecipient={false}
        value={place}
        onChange={setPlace}
        problem={(field) => problems.at('address', field)}
      />
    </FormModal>
  );
}
