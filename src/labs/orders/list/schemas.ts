import { Type } from 'typebox';
import {
  LowerBound,
  oneOf,
  PageNumber,
  SearchWords,
  UpperBound,
  Uuid,
  withDefault,
  WordFilter,
} from '../../../wire/schema.ts';

const Words = Type.Array(WordFilter(), { maxItems: 100 });

/** The query parameters of the list of orders: filters, sort order and page. */
export const OrderListQuery = Type.Object({
  search_input: Type.Optional(
    SearchWords({
      description:
        "Whole words of a patient's or recipient's name, a date of birth, or both; the id of an order, a user or a " +
        "sample; a laboratory's number of a sample; or a tracking number. Spaces and hyphens in numbers do not matter.",
    }),
  ),
  start_date: Type.Optional(LowerBound),
  end_date: Type.Optional(UpperBound),
  updated_start_date: Type.Optional(LowerBound),
  updated_end_date: Type.Optional(UpperBound),
  status: Type.Optional(
    Type.Array(WordFilter(), {
      maxItems: 100,
      description:
        'Low-level statuses, which are the last part of `last_event.status`: `awaiting_registration` ' +
        'finds orders whose last event is `received.testkit.awaiting_registration`.',
    }),
  ),
  order_key: Type.Optional(
    oneOf(['created_at', 'patient_name', 'last_status'], {
      description: "The sort key. `patient_name` sorts by the patient's last name, then the first name.",
    }),
  ),
  order_direction: Type.Optional(oneOf(['asc', 'desc'])),
  order_type: Type.Optional(Words),
  is_critical: Type.Optional(Type.Boolean()),
  is_overdue: Type.Optional(
    Type.Boolean({
      description: 'Returns only orders that are, or are not, overdue by the rules of `GET /v3/order_counts`.',
    }),
  ),
  interpretation: Type.Optional(
    WordFilter({
      description: 'normal, abnormal, critical or unknown. null selects orders without an interpretation.',
    }),
  ),
  order_activation_types: Type.Optional(Words),
  user_id: Type.Optional(Uuid),
  patient_name: Type.Optional(SearchWords({ description: 'Whole words, in any order.' })),
  shipping_recipient_name: Type.Optional(SearchWords({ description: 'Whole words, in any order.' })),
  order_ids: Type.Optional(Type.Array(Uuid, { maxItems: 500 })),
  order_transaction_id: Type.Optional(Uuid),
  page: PageNumber,
  size: withDefault(Type.Integer({ minimum: 1, maximum: 100 }), 50),
});
