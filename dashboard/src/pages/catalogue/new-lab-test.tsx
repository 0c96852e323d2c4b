import { Button, Checkbox, MultiSelect, Select, Text, Textarea, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useMutation, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { phial, unwrap } from '../../api/client.ts';
import { readAgain } from '../../api/queries.ts';
import { useSession } from '../../api/session.tsx';
import { problemOf } from '../../parts/field-problems.ts';
import { FormModal } from '../../parts/form-modal.tsx';
import { useLaboratories } from '../../parts/laboratories.ts';
import { methodInWords } from '../../parts/order-status.tsx';

/** The button and the form for a test of the team's own. */
export function NewLabTest() {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button onClick={() => setOpen(true)}>New test</Button>
      {isOpen && <Form close={() => setOpen(false)} />}
    </>
  );
}

type Method = 'testkit' | 'walk_in_test' | 'at_home_phlebotomy' | 'on_site_collection';

function Form({ close }: { close: () => void }) {
  const [name, setName] = useState('');
  const [description, setDescription] = useState('');
  const [lab, setLab] = useState<string | null>(null);
  const [method, setMethod] = useState<Method | null>(null);
  const [markers, setMarkers] = useState<string[]>([]);
  const [fasting, setFasting] = useState(false);
  const create = useCreate(() =>
    unwrap(
      phial.POST('/v3/lab_tests', {
        body: {
          name: name.trim(),
          description: description.trim(),
          method: method as Method,
          marker_ids: markers.map(Number),
          fasting,
          lab_slug: lab,
        },
      }),
    ),
  );
  const isWhole = name.trim() !== '' && description.trim() !== '' && method !== null && markers.length > 0;
  return (
    <FormModal title="New test" action="Create the test" size="lg" isWhole={isWhole} run={create} close={close}>
      <TextInput
        label="Name"
        required
        maxLength={200}
        value={name}
        onChange={({ currentTarget }) => setName(currentTarget.value)}
        error={problemOf(create.error, 'name')}
        data-autofocus
      />
      <Textarea
        label="Description"
        description="What it is for, in the words of whoever orders it."
        required
        autosize
        minRows={2}
        maxLength={2_000}
        value={description}
        onChange={({ currentTarget }) => setDescription(currentTarget.value)}
        error={problemOf(create.error, 'description')}
      />
      <Measured
        lab={lab}
        chooseLab={(slug) => {
          // The markers and the methods are those of a laboratory.
          setLab(slug);
          setMarkers([]);
          setMethod(null);
        }}
        method={method}
        chooseMethod={setMethod}
        markers={markers}
        chooseMarkers={setMarkers}
        methodProblem={problemOf(create.error, 'method')}
      />
      <Checkbox
        label="The patient must have fasted"
        checked={fasting}
        onChange={({ currentTarget }) => setFasting(currentTarget.checked)}
      />
      <Rules />
    </FormModal>
  );
}

function Rules() {
  const { environment } = useSession();
  return (
    <Text size="sm" c="dimmed">
      {environment === 'sandbox'
        ? 'In this sandbox it is approved at once.'
        : 'It can be ordered when the operator of the service has approved it.'}{' '}
      Its price is the sum of the prices of its markers. Markers and method cannot be changed later.
    </Text>
  );
}

type MeasuredProps = {
  lab: string | null;
  chooseLab: (slug: string | null) => void;
  method: Method | null;
  chooseMethod: (method: Method | null) => void;
  markers: string[];
  chooseMarkers: (ids: string[]) => void;
  methodProblem: string | undefined;
};

/** Where the test is done, how its sample is taken, and what it measures. */
function Measured({ lab, chooseLab, method, chooseMethod, markers, chooseMarkers, methodProblem }: MeasuredProps) {
  const { data: labs = [] } = useLaboratories();
  const chosen = labs.find(({ slug }) => slug === lab);
  return (
    <>
      <Select
        label="Laboratory"
        required
        data={labs.map(({ slug, name }) => ({ value: slug, label: name }))}
        value={lab}
        onChange={chooseLab}
      />
      <Select
        label="Method"
        required
        disabled={!chosen}
        data={(chosen?.collection_methods ?? []).map((value) => ({ value, label: methodInWords(value) }))}
        value={method}
        onChange={(value) => chooseMethod(value as Method | null)}
        error={methodProblem}
      />
      {chosen && <MarkerSelect key={chosen.slug} labSlug={chosen.slug} value={markers} change={chooseMarkers} />}
    </>
  );
}

function useCreate(create: () => Promise<{ id: string }>) {
  const navigate = useNavigate();
  return useMutation({
    mutationFn: create,
    onSuccess: async ({ id }) => {
      await readAgain('lab_tests');
      void navigate({ to: `/catalogue/${id}` });
    },
  });
}

const MOST_MARKERS = 100;

type MarkerProps = { labSlug: string; value: string[]; change: (ids: string[]) => void };

/** A laboratory may offer thousands of markers, so the service searches them. */
function MarkerSelect({ labSlug, value, change }: MarkerProps) {
  const [typed, setTyped] = useState('');
  const [search] = useDebouncedValue(typed, 250);
  /** The names of what was chosen, which a later search may not find. */
  const [names, setNames] = useState<Record<string, string>>({});
  const { data } = useQuery({
    queryKey: ['markers', labSlug, search],
    queryFn: () =>
      unwrap(
        phial.GET('/v3/lab_tests/markers', {
          params: { query: { lab_slug: labSlug, size: 50, ...(search && { name: search }) } },
        }),
      ),
    placeholderData: (before) => before,
  });
  const found = Object.fromEntries(
    (data?.markers ?? []).map(({ id, name, provider_id }) => [
      String(id),
      provider_id === null ? name : `${name} (${provider_id})`,
    ]),
  );
  const options = { ...Object.fromEntries(value.map((id) => [id, names[id] ?? id])), ...found };
  return (
    <MultiSelect
      label="Markers"
      description="What the test measures."
      placeholder="Search by name"
      required
      searchable
      maxValues={MOST_MARKERS}
      // The service has searched already.
      filter={({ options: all }) => all}
      nothingFoundMessage="No marker of this laboratory has such a name."
      data={Object.entries(options).map(([id, label]) => ({ value: id, label }))}
      value={value}
      searchValue={typed}
      onSearchChange={setTyped}
      onChange={(ids) => {
        setNames((before) => ({ ...before, ...found }));
        change(ids);
      }}
    />
  );
}
