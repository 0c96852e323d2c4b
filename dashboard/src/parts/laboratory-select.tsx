import { ChoiceFilter } from './choice-filter.tsx';
import { useLaboratories } from './laboratories.ts';

type Props = { value: string | undefined; change: (slug: string | null) => void };

/** The filter of a list by laboratory. */
export function LaboratorySelect({ value, change }: Props) {
  const { data } = useLaboratories();
  const known = (data ?? []).map(({ slug, name }) => ({ value: slug, label: name }));
  // A slug of the address stays selectable while the names are awaited.
  const shown =
    value === undefined || known.some((lab) => lab.value === value) ? known : [...known, { value, label: value }];
  return <ChoiceFilter label="Laboratory" width={200} data={shown} value={value} change={change} />;
}
