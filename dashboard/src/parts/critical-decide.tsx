import { Button, Checkbox, Radio, Stack, Text, Textarea, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { phial, PhialError, unwrap } from '../api/client.ts';
import { readAgain } from '../api/queries.ts';
import { noteOfAttempt } from './call-attempts.tsx';
import { CriticalSummary, type CriticalEntry } from './critical-result.tsx';
import { useProblems, type Problems } from './field-problems.ts';
import { FormModal } from './form-modal.tsx';
import { asWritten, MomentField } from './moment-field.tsx';
import { fullName } from './people.tsx';
import { FormRefusal } from './refusal.tsx';
import { momentInWords } from './time.tsx';

type DecideProps = {
  entry: CriticalEntry;
  /** Is told in a sentence what was done. */
  say: (done: string) => void;
};

/** The button for the next step of a critical result. None if it was signed off. */
export function Decide({ entry, say }: DecideProps) {
  const [isOpen, setOpen] = useState(false);
  const { status } = entry;
  if (status === 'signed_off') return null;
  const Dialog = status === 'open' ? Acknowledge : SignOff;
  const close = (done?: string): void => {
    setOpen(false);
    if (done !== undefined) say(done);
  };
  return (
    <>
      <Button onClick={() => setOpen(true)}>{status === 'open' ? 'Acknowledge' : 'Sign off'}</Button>
      {isOpen && <Dialog entry={entry} close={close} />}
    </>
  );
}

type DialogProps = { entry: CriticalEntry; close: (done?: string) => void };

const EMPTY_CALL = { person: '', at: '', isReadBack: false, note: '' };
type Call = typeof EMPTY_CALL;

const FIELDS = ['called_person', 'called_at', 'note', 'text'];
const NOT_AHEAD = 'Choose a time that is not in the future.';
/** As in the service: clocks differ, and a person who writes down a time leaves out its seconds. */
const CLOCKS_DIFFER_MS = 300_000;

const ofWhom = ({ order, client_user_id }: CriticalEntry): string =>
  (order.patient && fullName(order.patient)) ?? client_user_id;

/**
 * The form of an acknowledgement: who was called and when, and whether the values were read back, as accreditation of
 * laboratories asks for. If nobody was reached, the result stays open, and a note on the order tells of the attempt.
 */
function Acknowledge({ entry, close }: DialogProps) {
  const [isReached, setReached] = useState(true);
  const [call, setCall] = useState(() => ({ ...EMPTY_CALL, at: asWritten(Date.now()) }));
  const change = (changes: Partial<Call>) => setCall({ ...call, ...changes });
  const { order_id } = entry;
  const run = useDecision(
    () => (isReached ? acknowledge(entry.id, call) : noteAttempt(order_id, call.note)),
    () =>
      close(
        isReached
          ? `The critical result of ${ofWhom(entry)} is acknowledged. It waits for a sign-off.`
          : `The critical result of ${ofWhom(entry)} stays open. Your note is on its order.`,
      ),
  );
  const problems = useProblems(run.error, isReached ? bodyOf(call) : { text: noteOfAttempt(call.note) }, FIELDS);
  return (
    <FormModal
      title="Acknowledge the critical result"
      action={isReached ? 'Acknowledge' : 'Keep it open'}
      size="lg"
      isWhole={!isReached || timeProblem(call.at, entry) === undefined}
      run={run}
      refusal={<FormRefusal error={run.error} problems={problems} />}
      close={() => close()}
    >
      <CriticalSummary entry={entry} />
      <Radio.Group
        label="Was somebody told?"
        value={isReached ? 'reached' : 'nobody'}
        onChange={(value) => setReached(value === 'reached')}
      >
        <Stack gap="xs" mt={6}>
          <Radio value="reached" label="Yes, a physician or nurse was called" />
          <Radio value="nobody" label="Nobody was reached yet: it stays open" />
        </Stack>
      </Radio.Group>
      {isReached && (
        <CallFields
          call={call}
          change={change}
          problems={problems}
          earliest={asWritten(earliestOf(entry))}
          wrongTime={timeProblem(call.at, entry) ?? refusedTime(run.error, problems, entry)}
        />
      )}
      <Textarea
        label={isReached ? 'Note' : 'Whom you tried to reach, and when you try again'}
        autosize
        minRows={2}
        required={!isReached}
        maxLength={3_900}
        value={call.note}
        onChange={({ currentTarget }) => change({ note: currentTarget.value })}
        error={problems.at(isReached ? 'note' : 'text')}
      />
    </FormModal>
  );
}

type CallFieldsProps = {
  call: Call;
  change: (changes: Partial<Call>) => void;
  problems: Problems;
  earliest: string;
  wrongTime: string | undefined;
};

function CallFields({ call, change, problems, earliest, wrongTime }: CallFieldsProps) {
  return (
    <>
      <TextInput
        label="Who was called"
        description="The name of the physician or nurse who was told."
        required
        maxLength={200}
        value={call.person}
        onChange={({ currentTarget }) => change({ person: currentTarget.value })}
        error={problems.at('called_person')}
        data-autofocus
      />
      <MomentField label="When" value={call.at} change={(at) => change({ at })} earliest={earliest} error={wrongTime} />
      <Checkbox
        label="This person read the values back, and they were right"
        checked={call.isReadBack}
        onChange={({ currentTarget }) => change({ isReadBack: currentTarget.checked })}
      />
    </>
  );
}

/** Undefined as long as no moment is written. */
function momentIn(written: string): string | undefined {
  const at = new Date(written);
  return Number.isNaN(at.getTime()) ? undefined : at.toISOString();
}

const earliestOf = ({ received_at }: CriticalEntry): number => Date.parse(received_at) - CLOCKS_DIFFER_MS;

const beforeReport = ({ received_at }: CriticalEntry): string =>
  `The call cannot be before the result was reported: ${momentInWords(received_at)}.`;

/** What is wrong with the time of a call. Undefined if nothing is, or none is written. */
function timeProblem(written: string, entry: CriticalEntry): string | undefined {
  const at = Date.parse(momentIn(written) ?? '');
  if (at > Date.now()) return NOT_AHEAD;
  // The field leaves out the seconds.
  return at + 60_000 <= earliestOf(entry) ? beforeReport(entry) : undefined;
}

/** What the service says about the time: its clock may differ from the viewer's. */
function refusedTime(error: unknown, problems: Problems, entry: CriticalEntry): string | undefined {
  if (problems.at('called_at') === undefined) return undefined;
  return error instanceof PhialError && error.code === 'called_before_result' ? beforeReport(entry) : NOT_AHEAD;
}

const bodyOf = ({ person, at, isReadBack, note }: Call) => ({
  called_person: person,
  called_at: momentIn(at) ?? '',
  read_back: isReadBack,
  ...(note !== '' && { note }),
});

const acknowledge = (critical_result_id: string, call: Call): Promise<unknown> =>
  unwrap(
    phial.POST('/v3/critical_result/{critical_result_id}/acknowledge', {
      params: { path: { critical_result_id } },
      body: bodyOf(call),
    }),
  );

const noteAttempt = (order_id: string, note: string): Promise<unknown> =>
  unwrap(
    phial.POST('/v3/order/{order_id}/note', { params: { path: { order_id } }, body: { text: noteOfAttempt(note) } }),
  );

function SignOff({ entry, close }: DialogProps) {
  const [note, setNote] = useState('');
  const { id } = entry;
  const run = useDecision(
    () =>
      unwrap(
        phial.POST('/v3/critical_result/{critical_result_id}/sign_off', {
          params: { path: { critical_result_id: id } },
          body: { note },
        }),
      ),
    () => close(`The critical result of ${ofWhom(entry)} is signed off.`),
  );
  const problems = useProblems(run.error, { note }, ['note']);
  return (
    <FormModal
      title="Sign off the critical result"
      action="Sign off"
      size="lg"
      run={run}
      refusal={<FormRefusal error={run.error} problems={problems} />}
      close={() => close()}
    >
      <CriticalSummary entry={entry} />
      <Text size="sm">A sign-off ends the work on this result. It cannot be taken back.</Text>
      <Textarea
        label="What was decided"
        autosize
        minRows={3}
        required
        maxLength={4_000}
        value={note}
        onChange={({ currentTarget }) => setNote(currentTarget.value)}
        error={problems.at('note')}
        data-autofocus
      />
    </FormModal>
  );
}

function useDecision(decide: () => Promise<unknown>, end: () => void) {
  return useMutation({
    mutationFn: decide,
    onSuccess: async () => {
      await readAgain('critical_results', 'order_counts', 'order_notes');
      end();
    },
  });
}
