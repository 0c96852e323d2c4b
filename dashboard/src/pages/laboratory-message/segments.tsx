import { Button, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { reasonInWords } from '../../parts/message-reasons.ts';
import { labelOf } from './field-names.ts';
import type { Fault, Segment } from './message-query.ts';
import classes from './message.module.css';

/** A message may have thousands of segments, and a document in one of them millions of letters. */
const FIRST = 60;
const LONGEST_SHOWN = 240;

type Props = {
  segments: readonly Segment[];
  faults: readonly Fault[];
  /** The segments that are forms already. */
  inForm: readonly number[];
  /** Makes a form of a segment. Without it the message cannot be changed. */
  open?: (number: number) => void;
};

/** All segments that may be shown, with their fields. The faulty ones are marked. */
export function Segments({ segments, faults, inForm, open }: Props) {
  const [isWhole, setWhole] = useState(false);
  const shown = isWhole ? segments : segments.slice(0, FIRST);
  return (
    <Stack gap="md">
      <Text size="sm" c="dimmed">
        Segments that identify the patient or the order are not shown, and a repair cannot change them.
      </Text>
      <ol className={classes['segments']}>
        {shown.map((segment) => (
          <Row
            key={segment.number}
            segment={segment}
            faults={faults.filter((fault) => fault.segment.number === segment.number)}
            {...(open && !inForm.includes(segment.number) && { open: () => open(segment.number) })}
          />
        ))}
      </ol>
      {shown.length < segments.length && (
        <Button variant="default" onClick={() => setWhole(true)} style={{ alignSelf: 'flex-start' }}>
          Show all {segments.length.toLocaleString()} segments
        </Button>
      )}
    </Stack>
  );
}

type RowProps = { segment: Segment; faults: readonly Fault[]; open?: () => void };

function Row({ segment: { number, name, fields }, faults, open }: RowProps) {
  const reasonOf = (field: number): string | undefined => faults.find((fault) => fault.fields.includes(field))?.reason;
  const missing = faults.flatMap((fault) => fault.fields).filter((field) => fields[field] === undefined);
  const entries = [
    ...Object.entries(fields).map(([field, value]) => [Number(field), value] as const),
    ...missing.map((field) => [field, ''] as const),
  ].sort(([one], [other]) => one - other);
  return (
    <li className={classes['segment']} data-faulty={faults.length > 0}>
      <span className={classes['name']}>
        <strong>{name}</strong> <span className={classes['number']}>{number}</span>
      </span>
      <dl className={classes['fields']}>
        {entries.map(([field, value]) => {
          const reason = reasonOf(field);
          return (
            <div key={field} data-faulty={reason !== undefined}>
              <dt>
                {labelOf(name, field)} ({field})
              </dt>
              <dd>
                {reason === undefined ? (
                  <code>{short(value)}</code>
                ) : (
                  <>
                    <mark>
                      <code>{value === '' ? 'missing' : short(value)}</code>
                    </mark>
                    <Text size="sm" c="var(--mantine-color-error)" mt={4}>
                      {reasonInWords(reason)}
                    </Text>
                  </>
                )}
              </dd>
            </div>
          );
        })}
      </dl>
      {open && (
        <Button size="xs" variant="default" onClick={open} aria-label={`Change segment ${number}`}>
          Change
        </Button>
      )}
    </li>
  );
}

const short = (value: string): string =>
  value.length > LONGEST_SHOWN
    ? `${value.slice(0, LONGEST_SHOWN)}… (${value.length.toLocaleString()} characters)`
    : value;
