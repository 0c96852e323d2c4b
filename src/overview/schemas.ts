import { Type } from 'typebox';
import { ThisTeam } from '../tenancy/team-paths.ts';
import { Cursor, LowerBound, nullable, Timestamp, UpperBound, Uuid, withDefault, WordFilter } from '../wire/schema.ts';
import { shape } from '../wire/shape.ts';
import { IN_AUDIT_RANGE } from './audit-range.ts';

const filters = {
  since: Type.Optional(
    Type.Unsafe<string>({ ...LowerBound, description: 'Without it 31 days before `until`, or before now.' }),
  ),
  until: Type.Optional(Type.Unsafe<string>({ ...UpperBound, description: 'Without it now.' })),
  team_id: ThisTeam,
  actor: Type.Optional(
    WordFilter({ description: 'Only lines of this kind of caller: team_key, management_key, operator and so on.' }),
  ),
  action: Type.Optional(WordFilter({ description: 'Only lines of this operation, by its operationId.' })),
  key_id: Type.Optional(Type.String({ format: 'uuid', description: 'Only lines of this key or session.' })),
  record_id: Type.Optional(
    Type.String({ format: 'uuid', description: 'Only lines about the record with this id, such as a user.' }),
  ),
};

export const AuditLogQuery = Type.Object(
  {
    ...filters,
    next_cursor: Type.Optional(Cursor()),
    limit: withDefault(Type.Integer({ minimum: 1, maximum: 500 }), 50),
  },
  { fulfils: IN_AUDIT_RANGE },
);

export const AuditLogExportQuery = Type.Object(filters, { fulfils: IN_AUDIT_RANGE });

/**
 * An id that was written to the log earlier. It has no format of an id: otherwise a read of the log would write all ids
 * that it shows to the log again.
 */
const LoggedId = (description: string) => Type.String({ description });

export const AuditLogLine = shape('AuditLogLine', {
  id: LoggedId('Id of the line.'),
  created_at: Timestamp,
  org_id: nullable(LoggedId('Id of the organisation.')),
  team_id: nullable(LoggedId('Id of the team; null if the line is about the organisation.')),
  key_id: nullable(LoggedId('Id of the key, token or session of the caller; null for the service.')),
  person_id: nullable(
    LoggedId('Id of the member, or of the person of an EHR, who was signed in; null for the operator and for keys.'),
  ),
  person_name: nullable(
    Type.String({ description: 'Name of that person now; null also if the person is no longer in the organisation.' }),
  ),
  actor: Type.String({
    description: 'Kind of the caller, such as team_key; the name of a job of the service; or operator.',
  }),
  action: Type.String({ description: 'The operationId, what a job did, or the words of a command.' }),
  status: nullable(Type.Integer({ description: 'HTTP status of the response; null if there was no request.' })),
  records: Type.Array(LoggedId('Id of a record.'), {
    description: 'Ids of the records that were read or changed, at most 1,000.',
  }),
  request_id: nullable(LoggedId('Id of the request; null if there was none.')),
  address: nullable(Type.String({ description: 'Network address of the caller; null for the service.' })),
});

export const AuditLogPage = shape('AuditLogPage', {
  data: Type.Array(AuditLogLine),
  next_cursor: nullable(
    Type.String({
      description: 'Cursor of the next page; null on the last page. A page can be short or empty before.',
    }),
  ),
});

const Count = (description: string) => Type.Integer({ description });

const usage = {
  users: Count('Users, without those who are scheduled for deletion.'),
  connections: Count('Connections of these users to providers.'),
  orders: Count('Orders of these users, in every status.'),
  orders_of_month: Count('Orders that were placed in the month.'),
  deliveries_of_month: Count('Deliveries of events that succeeded in the month.'),
  import_bytes: Count('Bytes of uploaded files that wait for their import.'),
  lab_report_bytes: Count('Bytes of stored lab reports.'),
};

const MONTH = '^20[0-9]{2}-(0[1-9]|1[0-2])$';

export const UsageQuery = Type.Object({
  month: Type.Optional(
    Type.String({ maxLength: 7, pattern: MONTH, description: 'A month in UTC, such as 2026-11. Default: this month.' }),
  ),
  next_cursor: Type.Optional(Cursor()),
  limit: withDefault(Type.Integer({ minimum: 1, maximum: 500 }), 50),
});

const TeamUsage = shape('TeamUsage', { team_id: Uuid, name: Type.String(), ...usage });

export const OrgUsage = shape('OrgUsage', {
  month: Type.String({ description: 'The month in UTC of the figures `…_of_month`.' }),
  teams: Count('Teams of the organisation.'),
  ...usage,
  data: Type.Array(TeamUsage, { description: 'The same figures for each team of this page.' }),
  next_cursor: nullable(Type.String()),
});

const Milliseconds = (description: string) => nullable(Type.Number({ description }));

export const TeamStatus = shape('TeamStatus', {
  at: Type.String({ ...Timestamp, description: 'Time of the figures, UTC.' }),
  deliveries: Type.Object(
    {
      attempts: Count('Attempts of the last 24 hours.'),
      succeeded: Count('Attempts with a 2xx response.'),
      failed: Count('All other attempts.'),
      success_rate: nullable(
        Type.Number({ description: 'The part of the attempts that succeeded; null without any.' }),
      ),
      latency_ms: Type.Object(
        {
          p50: Milliseconds('Half of the attempts ended within this time.'),
          p95: Milliseconds('95 of 100 attempts ended within this time.'),
          p99: Milliseconds('99 of 100 attempts ended within this time.'),
        },
        { description: 'Durations of the attempts in milliseconds.' },
      ),
      oldest_due_seconds: Count('For how long the oldest delivery is due to an enabled endpoint; 0 if none is.'),
    },
    { description: 'Deliveries to all endpoints. Attempts are counted after up to ten seconds.' },
  ),
  endpoints: Type.Object(
    {
      total: Count('Endpoints of the team.'),
      disabled: Count('Endpoints to which nothing is sent.'),
      failing: Count('Enabled endpoints whose last deliveries failed.'),
    },
    { description: 'Endpoints for webhooks.' },
  ),
  connections: Type.Object(
    {
      connected: Count('Connections that work.'),
      error: Count('Connections that deliver no data because of an error.'),
      paused: Count('Connections that were paused.'),
    },
    { description: 'Connections of users to providers.' },
  ),
  samples: Type.Object(
    {
      stored: Count('Samples that were created, or replaced by a sample with other values.'),
      since: Type.String({
        ...Timestamp,
        description: 'The full hour (UTC), 23 to 24 hours ago, since which they count.',
      }),
    },
    {
      description:
        'Samples of all series that the team took in: pushed, pulled and imported ones. They are counted in the ' +
        'transaction that stores them, by the hour in which it began. A sample that was already stored does not count.',
    },
  ),
  laboratories: Type.Object(
    {
      messages_waiting: Count('Messages of laboratories that wait for a repair.'),
      orders_waiting: Count('Messages to laboratories that wait to be sent.'),
      orders_held: Count('Messages to laboratories that are held.'),
      orders_refused: Count('Messages that a laboratory refused.'),
      orders_unanswered: Count('Messages that a laboratory stored and has not answered.'),
      unmatched_results: Count('Results that wait for somebody to find their order.'),
      reports_to_review: Count('Uploaded lab reports that wait for a review.'),
      critical_results_open: Count('Critical results that nobody has acknowledged.'),
    },
    { description: 'What waits between the team and its laboratories. Each count stops at 10,000.' },
  ),
  imports: Type.Object(
    { failed: Count('Imports that failed in the last 24 hours.'), running: Count('Imports that wait or run.') },
    { description: 'Imports of uploaded files. Each count stops at 10,000.' },
  ),
});
