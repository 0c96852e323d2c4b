import { Button } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { phial, unwrap } from '../../api/client.ts';
import { readAgain } from '../../api/queries.ts';
import { useTeamPath } from '../../api/session.tsx';
import { EndpointForm, type EndpointFields } from '../../parts/endpoint-form.tsx';

/** The button that opens the form for an endpoint. */
export function NewEndpoint() {
  const [isOpen, { open, close }] = useDisclosure(false);
  const path = useTeamPath();
  const navigate = useNavigate();
  const create = useMutation({
    mutationFn: (body: EndpointFields) =>
      unwrap(phial.POST('/v1/org/{org_id}/team/{team_id}/{environment}/webhook', { params: { path }, body })),
    onSuccess: async ({ id }) => {
      await readAgain('webhooks');
      close();
      void navigate({ to: `/webhooks/${id}` });
    },
  });
  return (
    <>
      <Button onClick={open}>New endpoint</Button>
      {isOpen && (
        <EndpointForm title="New endpoint" action="Create" run={create} submit={create.mutate} close={close} />
      )}
    </>
  );
}
