import { Type } from 'typebox';
import { operation } from '../../../../operation/operation.ts';
import { ofTeam, TEAM_PATH } from '../../../../tenancy/team-paths.ts';
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
  actOnOutbox,
  showMessage,
  type OutboxAction,
} from './message-actions.ts';

const tag = 'repairs';
const auth = 'management_key';
const scope = 'team';
const messages = `${TEAM_PATH}/laboratory_message`;
const message = `${messages}/{message_id}`;
const ofMessage = Type.Object({ ...ofTeam.properties, message_id: Uuid });
const outbox = `${TEAM_PATH}/laboratory_outbox`;
const ofOutbox = Type.Object({
  ...ofTeam.properties,
  outbox_id: { ...Uuid, description: 'Id of the message to a laboratory.' },
});
/**
 * The service functions open several transactions, and one of them may roll back while others commit. So the route must
 * not run the operation in a transaction of its own.
 */
const waits = true;

/** The operations with which an organisation handles messages that wait between its teams and a laboratory. */
export const repairOperations = [
  operation({
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
      'Lists the messages that wait to be repaired, or those in `state`. The oldest comes first. Entries have ids ' +
      'and codes only. The operator handles messages that match no order and no team.',
    refusals: ['invalid_cursor'],
    handle: (ctx, { query }) => listMessagesOfTeam(ctx, query),
  }),
  operation({
    id: 'get_laboratory_message',
    method: 'GET',
    path: message,
    tag,
    auth,
    scope,
    params: ofMessage,
    response: LaboratoryMessageInFull,
    summary: 'Read the reported fields of a message of a laboratory',
    description:
      'Returns the fields that a repair may change, and no personal data. Returns no field of a message that may be ' +
      'about another person.',
    refusals: ['not_found'],
    handle: (ctx, { params: { message_id } }) => showMessage(ctx, message_id),
  }),
  operation({
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
    summary: 'Repair a message of a laboratory and apply it',
    description:
      'The repaired message replaces the waiting one, whose text is deleted. Fields that identify the person or the ' +
      'order cannot be changed.',
    refusals: ['not_found', 'message_not_waiting', 'message_not_repairable'],
    handle: (ctx, { params: { message_id }, body }) => repairByChanges(ctx, message_id, body),
  }),
  operation({
    id: 'replay_laboratory_message',
    method: 'POST',
    path: `${message}/replay`,
    tag,
    auth,
    scope,
    waits,
    params: ofMessage,
    response: RepairOutcome,
    summary: 'Apply a message of a laboratory again, for example after its code was mapped',
    refusals: ['not_found', 'message_not_waiting'],
    handle: (ctx, { params: { message_id } }) => replayOfTeam(ctx, message_id),
  }),
  operation({
    id: 'discard_laboratory_message',
    method: 'POST',
    path: `${message}/discard`,
    tag,
    auth,
    scope,
    waits,
    params: ofMessage,
    response: RepairOutcome,
    summary: 'Discard a message of a laboratory that needs no repair',
    refusals: ['not_found', 'message_not_waiting'],
    handle: (ctx, { params: { message_id } }) => discardOfTeam(ctx, message_id),
  }),
  operation({
    id: 'list_laboratory_outbox',
    method: 'GET',
    path: outbox,
    tag,
    auth,
    scope,
    params: ofTeam,
    query: OutboxQuery,
    response: LaboratoryOutboxPage,
    summary: 'List messages to laboratories about the orders of a team',
    description:
      'Lists the messages that a laboratory refused, or those in `state`. The oldest comes first. Entries have ids ' +
      'and codes only.',
    refusals: ['invalid_cursor'],
    handle: (ctx, { query }) => listOutboxOfTeam(ctx, query),
  }),
  ...(
    [
      ['resend', 'Send an order that its laboratory refused again, with its current data', ''],
      [
        'give_up',
        'Give up the tests of an order that its laboratory refused',
        ' The tests of the message fail, and the order goes on with the others or ends. Also works for a message ' +
          'that the laboratory stored and never answered.',
      ],
      ['hold', 'Hold a message to a laboratory', ' Works only while the message waits to be sent.'],
      [
        'release',
        'Release a held message to a laboratory',
        ' It returns to its old position. A message that the operator holds stays held.',
      ],
    ] as const satisfies [OutboxAction, string, string][]
  ).map(([action, summary, more]) =>
    operation({
      id: `${action}_laboratory_order`,
      method: 'POST',
      path: `${outbox}/{outbox_id}/${action}`,
      tag,
      auth,
      scope,
      params: ofOutbox,
      response: Type.Object({ success: Type.Boolean({ description: 'Always true.' }) }),
      summary,
      description: `If the action is not possible, the refusal states why.${more}`,
      refusals: ['not_found', 'message_not_changeable'],
      handle: (ctx, { params: { outbox_id } }) => actOnOutbox(ctx, outbox_id, action),
    }),
  ),
];
