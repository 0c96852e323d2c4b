import { MultiSelect, NumberInput, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { phial, unwrap } from '../api/client.ts';
import { useSession } from '../api/session.tsx';
import { eventChoices } from './event-choices.ts';
import { problemOf } from './field-problems.ts';
import { FormModal, type FormModalProps } from './form-modal.tsx';

export type EndpointFields = {
  url: string;
  description: string;
  filter_types: string[] | null;
  rate_limit: number | null;
};

type EndpointFormProps = Pick<FormModalProps, 'title' | 'action' | 'close'> & {
  /** What the endpoint is now. Default: a new one. */
  endpoint?: { url: string; description: string | null; filter_types: string[] | null; rate_limit: number | null };
  submit: (fields: EndpointFields) => void;
  run: Pick<FormModalProps['run'], 'isPending' | 'error'>;
};

/** The catalogue of events, by name. */
export function useEventTypes() {
  const { team } = useSession();
  return useQuery({
    queryKey: ['event_types', team?.id],
    queryFn: () => unwrap(phial.GET('/v2/event_types')),
    staleTime: Infinity,
  });
}

/** The form of an endpoint, with the catalogue of events at hand. */
export function EndpointForm({ endpoint, submit, run: { isPending, error }, ...dialogue }: EndpointFormProps) {
  const { data } = useEventTypes();
  const [url, setUrl] = useState(endpoint?.url ?? '');
  const [description, setDescription] = useState(endpoint?.description ?? '');
  const [types, setTypes] = useState(endpoint?.filter_types ?? []);
  const [rate, setRate] = useState<string | number>(endpoint?.rate_limit ?? '');
  const names = (data?.data ?? []).map(({ name }) => name);
  const mutate = (): void =>
    submit({
      url,
      description,
      filter_types: types.length === 0 ? null : types,
      rate_limit: rate === '' ? null : Number(rate),
    });
  return (
    <FormModal {...dialogue} size="lg" run={{ isPending, error, mutate }}>
      <TextInput
        label="Address"
        type="url"
        required
        placeholder="https://example.com/webhooks"
        maxLength={2_048}
        value={url}
        onChange={({ currentTarget }) => setUrl(currentTarget.value)}
        error={problemOf(error, 'url')}
        data-autofocus
      />
      <TextInput
        label="Description"
        maxLength={1_000}
        value={description}
        onChange={({ currentTarget }) => setDescription(currentTarget.value)}
        error={problemOf(error, 'description')}
      />
      <MultiSelect
        label="Events"
        description="Leave it empty for all events about users. labtest.order.* means all names that begin with it."
        placeholder={types.length === 0 ? 'All events' : ''}
        searchable
        clearable
        maxDropdownHeight={320}
        data={eventChoices(names, types)}
        value={types}
        onChange={setTypes}
        error={problemOf(error, 'filter_types')}
      />
      <NumberInput
        label="At most this many a second"
        description="Leave it empty for no limit."
        min={1}
        max={100_000}
        allowDecimal={false}
        value={rate}
        onChange={setRate}
        error={problemOf(error, 'rate_limit')}
      />
    </FormModal>
  );
}
