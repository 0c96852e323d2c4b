import { Button, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { phial, unwrap } from '../../api/client.ts';
import { readAgain } from '../../api/queries.ts';
import { problemOf } from '../../parts/field-problems.ts';
import { oneOf, useFilters } from '../../parts/filters.ts';
import { FormModal } from '../../parts/form-modal.tsx';

/** The overview leads here with the form open. */
const FILTERS = { new: oneOf('user') };

/** The button that opens the form for a user. One button of a page follows the address. */
export function NewUser({ followsAddress = false }: { followsAddress?: boolean }) {
  const [filters, change] = useFilters(FILTERS);
  const asked = followsAddress ? filters.new : undefined;
  const [isOpen, { open, close }] = useDisclosure(asked !== undefined);
  const end = (): void => {
    close();
    if (asked !== undefined) change({ new: null });
  };
  return (
    <>
      <Button onClick={open}>New user</Button>
      {isOpen && <UserForm close={end} />}
    </>
  );
}

function UserForm({ close }: { close: () => void }) {
  const navigate = useNavigate();
  const [id, setId] = useState('');
  const [zone, setZone] = useState(() => Intl.DateTimeFormat().resolvedOptions().timeZone);
  const create = useMutation({
    mutationFn: () =>
      unwrap(
        phial.POST('/v2/user', { body: { client_user_id: id, ...(zone !== '' && { fallback_time_zone: zone }) } }),
      ),
    onSuccess: ({ user_id }) => {
      void readAgain('users');
      void navigate({ to: `/users/${user_id}` });
    },
  });
  return (
    <FormModal title="New user" action="Create" run={create} close={close}>
      <TextInput
        label="Your system’s id of this person"
        description="It may not say who the person is: use no name and no e-mail address."
        required
        maxLength={256}
        value={id}
        onChange={({ currentTarget }) => setId(currentTarget.value)}
        error={problemOf(create.error, 'client_user_id')}
        data-autofocus
      />
      <TextInput
        label="Time zone"
        description="For data whose device does not say its own."
        maxLength={100}
        value={zone}
        onChange={({ currentTarget }) => setZone(currentTarget.value)}
        error={problemOf(create.error, 'fallback_time_zone')}
      />
    </FormModal>
  );
}
