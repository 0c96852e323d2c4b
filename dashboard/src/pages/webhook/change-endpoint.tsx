import { Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { phial, unwrap } from '../../api/client.ts';
import { readAgain } from '../../api/queries.ts';
import { useTeamPath } from '../../api/session.tsx';
import { EndpointForm, type EndpointFields } from '../../parts/endpoint-form.tsx';
import { FormModal } from '../../parts/form-modal.tsx';
import type { Endpoint } from './endpoint-query.ts';

type Props = { endpoint: Endpoint; close: () => void };

const WEBHOOK = '/v1/org/{org_id}/team/{team_id}/{environment}/webhook/{webhook_id}';

/** Writes a change of the endpoint, and reads it again. */
function usePatch<Of>(endpoint: Endpoint, bodyOf: (of: Of) => Partial<EndpointFields & { disabled: boolean }>) {
  const path = useTeamPath();
  return useMutation({
    mutationFn: (of: Of) =>
      unwrap(phial.PATCH(WEBHOOK, { params: { path: { ...path, webhook_id: endpoint.id } }, body: bodyOf(of) })),
    onSuccess: () => readAgain('webhook', 'webhooks', 'attempts'),
  });
}

export function ChangeEndpoint({ endpoint, close }: Props) {
  const change = usePatch(endpoint, (fields: EndpointFields) => fields);
  return (
    <EndpointForm
      title="Edit the endpoint"
      action="Save"
      endpoint={endpoint}
      run={change}
      submit={(fields) => change.mutate(fields, { onSuccess: close })}
      close={close}
    />
  );
}

/** Switches the sending on and off. What happens meanwhile waits, and is sent when the endpoint is enabled. */
export const useSwitch = (endpoint: Endpoint) => usePatch(endpoint, (disabled: boolean) => ({ disabled }));

export function DeleteEndpoint({ endpoint, close }: Props) {
  const path = useTeamPath();
  const navigate = useNavigate();
  const remove = useMutation({
    mutationFn: () => unwrap(phial.DELETE(WEBHOOK, { params: { path: { ...path, webhook_id: endpoint.id } } })),
    onSuccess: async () => {
      await readAgain('webhooks');
      void navigate({ to: '/webhooks' });
    },
  });
  return (
    <FormModal title="Delete this endpoint?" action="Delete" isFinal run={remove} close={close}>
      <Text>What waits for it is dropped, and its secret ends. The log of its attempts stays.</Text>
    </FormModal>
  );
}
