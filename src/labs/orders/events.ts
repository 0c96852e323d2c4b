import { defineEvent } from '../../events/define.ts';
import { OrderInFull } from './schemas.ts';

export const orderCreated = defineEvent({
  name: 'labtest.order.created',
  data: OrderInFull,
  summary: 'An order was created. The data is the whole order as it was then.',
});

export const orderUpdated = defineEvent({
  name: 'labtest.order.updated',
  data: OrderInFull,
  summary:
    'An order has a new status. The data is the whole order right after that status, which is the last of its events.',
});
