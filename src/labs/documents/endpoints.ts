import { Type } from 'typebox';
import type { SignedCtx, TeamCtx } from '../../context.ts';
import { AppError } from '../../errors.ts';
import { endpoint } from '../../http/endpoint.ts';
import { pdf } from '../../http/media.ts';
import { linkRefused } from '../../privacy/signed-link.ts';
import { Uuid } from '../../wire/schema.ts';
import { loadFacts, type OrderFacts } from './facts.ts';
import { drawRequisition } from './requisition.ts';
import { inTurn } from './turns.ts';

const tag = 'documents';
const params = Type.Object({ order_id: Uuid });

/** Read first, so that what waits for its turn to be drawn keeps no connection. */
async function ofOrder(ctx: TeamCtx, orderId: string, draw: (facts: OrderFacts) => Promise<Buffer>): Promise<Buffer> {
  const facts = await loadFacts(ctx, orderId);
  return inTurn(ctx.team.id, () => draw(facts));
}

/** A link says nothing of what it would open, were it good: no order, no requisition and no user read the same. */
async function byLink(ctx: SignedCtx, draw: (facts: OrderFacts) => Promise<Buffer>): Promise<Buffer> {
  try {
    return await ofOrder(ctx, ctx.signedId, draw);
  } catch (error) {
    if (error instanceof AppError && error.code !== 'not_ready') throw linkRefused();
    throw error;
  }
}

export const documentEndpoints = [
  endpoint({
    id: 'get_requisition_pdf',
    method: 'GET',
    path: '/v3/order/{order_id}/requisition/pdf',
    tag,
    params,
    response: pdf('requisition'),
    summary: 'Print the requisition of an order',
    description:
      'For the laboratory: it goes with the sample. There is one from the event requisition_created on, until the order is cancelled.',
    refusals: ['not_found', 'user_scheduled_for_deletion', 'document_not_available'],
    handle: (ctx, { params: { order_id } }) => ofOrder(ctx, order_id, drawRequisition),
  }),
  endpoint({
    id: 'open_requisition_link',
    method: 'GET',
    path: '/documents/requisition/{token}',
    tag,
    auth: 'signature',
    params: Type.Object({ token: Type.String({ maxLength: 200, description: 'The signed part of the link.' }) }),
    response: pdf('requisition'),
    summary: 'Open the requisition that requisition_form_url links to',
    description:
      'Opens without a key, for seven days from when the link was made. Whatever is wrong with a link is answered alike.',
    handle: (ctx) => byLink(ctx, drawRequisition),
  }),
];
