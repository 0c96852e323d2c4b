import { Type } from 'typebox';
import { endpoint } from '../../../../http/endpoint.ts';
import { ofTeam, TEAM_PATH } from '../../../../tenancy/places.ts';
import { Uuid } from '../../../../wire/schema.ts';
import { listMessagesOfTeam, listOutboxOfTeam } from './list-of-team.ts';
import {
  LaboratoryMessageInFull,
  LaboratoryMessagePage,
  MessageQuery,
  RepairOutcome,
  LaboratoryOutboxPage,
  OutboxQuery,
  MessageRepair,
} from './schemas.ts';
import {
  discardOfTeam,
  repairByChanges,
  replayOfTeam,
  seeToOutbox,
  showMessage,
  type OutboxVerb,
} from './see-to-message.ts';

const tag = 'repairs';
const auth = 'management_key';
const scope = 'team';
const messages = `${TEAM_PATH}/laboratory_message`;
const message = `${messages}/{message_id}`;
const ofMessage = Type.Object({ ...ofTeam.properties, message_id: Uuid });
const outbox = `${TEAM_PATH}/laboratory_outbox`;
const ofOutbox = Type.Object({
  ...ofTeam.properties,
  outbox_id: { ...Uuid, description: 'Id of what goes to a laboratory.' },
});
/** It is tried in transactions of its own, of which one may come to nothing. */
const waits = true;

/** How an organisation sees to what waits between its team and a laboratory. */
export const repairEndpoints = [
  endpoint({
    id: 'list_laboratory_messages',
    method: 'GET',
    path: messages,
    tag,
    auth,
    scope,
    params: ofTeam,
    query: MessageQuery,
    response: LaboratoryMessagePage,
    summary: 'List messages of laboratories for a team',
    description:
      'Those that wait to be repaired, unless `state` says otherwise; oldest first, by ids and codes. A ' +
      'message that leads to no order and no ' +
      'team is nobody’s: whoever runs the service sees to it.',
    refusals: ['invalid_cursor'],
    handle: (ctx, { query }) => listMessagesOfTeam(ctx, query),
  }),
  endpoint({
    id: 'get_laboratory_message',
    method: 'GET',
    path: message,
    tag,
    auth,
    scope,
    params: ofMessage,
    response: LaboratoryMessageInFull,
    summary: 'Read what a message of a laboratory reports',
    description:
      'The fields that a repair may change, and nothing that tells of people. Of a message that may be ' +
      'about somebody else no field is shown.',
    refusals: ['not_found'],
    handle: (ctx, { params: { message_id } }) => showMessage(ctx, message_id),
  }),
  endpoint({
    id: 'repair_laboratory_message',
    method: 'POST',
    path: `${message}/repair`,
    tag,
    auth,
    scope,
    waits,
    params: ofMessage,
    body: MessageRepair,
    response: RepairOutcome,
    summary: 'Mend a message of a laboratory, and apply it',
    description:
      'The mended message takes the place of the one that waits, whose text is forgotten. What says whose ' +
      'result it is cannot be changed.',
    refusals: ['not_found', 'message_not_waiting', 'message_not_repairable'],
    handle: (ctx, { params: { message_id }, body }) => repairByChanges(ctx, message_id, body),
  }),
  endpoint({
    id: 'replay_laboratory_message',
    method: 'POST',
    path: `${message}/replay`,
    tag,
    auth,
    scope,
    waits,
    params: ofMessage,
    response: RepairOutcome,
    summary: 'Apply a message of a laboratory anew, as after its code was mapped',
    refusals: ['not_found', 'message_not_waiting'],
    handle: (ctx, { params: { message_id } }) => replayOfTeam(ctx, message_id),
  }),
  endpoint({
    id: 'discard_laboratory_message',
    method: 'POST',
    path: `${message}/discard`,
    tag,
    auth,
    scope,
    waits,
    params: ofMessage,
    response: RepairOutcome,
    summary: 'Set a message of a laboratory aside that nobody need repair',
    refusals: ['not_found', 'message_not_waiting'],
    handle: (ctx, { params: { message_id } }) => discardOfTeam(ctx, message_id),
  }),
  endpoint({
    id: 'list_laboratory_outbox',
    method: 'GET',
    path: outbox,
    tag,
    auth,
    scope,
    params: ofTeam,
    query: OutboxQuery,
    response: LaboratoryOutboxPage,
    summary: 'List what goes to laboratories of the orders of a team',
    description: 'What a laboratory refused, unless `state` says otherwise; oldest first, by ids and codes.',
    refusals: ['invalid_cursor'],
    handle: (ctx, { query }) => listOutboxOfTeam(ctx, query),
  }),
  ...(
    [
      ['resend', 'Send an order again that its laboratory refused, as it is now', ''],
      [
        'give_up',
        'Give up what a laboratory refused of an order',
        ' Its tests fail, and the order goes on with the others or ends; also of what the laboratory kept and never answered.',
      ],
      ['hold', 'Keep an order from being sent to its laboratory', ' While it waits in its turn.'],
      [
        'release',
        'Let an order go out that was held',
        ' It takes its old place. What whoever runs the service holds stays.',
      ],
    ] as const satisfies [OutboxVerb, string, string][]
  ).map(([verb, summary, more]) =>
    endpoint({
      id: `${verb}_laboratory_order`,
      method: 'POST',
      path: `${outbox}/{outbox_id}/${verb}`,
      tag,
      auth,
      scope,
      params: ofOutbox,
      response: Type.Object({ success: Type.Boolean({ description: 'Always true.' }) }),
      summary,
      description: `Refused with a sentence that says why where it cannot be done.${more}`,
      refusals: ['not_found', 'message_not_changeable'],
      handle: (ctx, { params: { outbox_id } }) => seeToOutbox(ctx, outbox_id, verb),
    }),
  ),
];
