-- How a laboratory is connected, which states it serves and what its format takes of an order.
alter table labs
  -- simulated: made up by sandboxes and by nothing else; hl7: spoken to by the adapter that the operator configures.
  add column connection text not null default 'simulated' check (connection in ('simulated', 'hl7')),
  -- Two-letter codes of the states whose patients it serves; null: all.
  add column states text[],
  -- Where it takes less than src/labs/orders/pre-flight.ts says of every laboratory.
  add column order_rules jsonb not null default '{}' check (jsonb_typeof(order_rules) = 'object');

-- What a laboratory asks of a patient with an order of a marker.
create table marker_questions (
  id bigint primary key,
  marker_id integer not null references markers on delete cascade,
  code text not null,
  value text not null,
  type text not null check (type in ('choice', 'text', 'numeric', 'multi_choice')),
  required boolean not null,
  sequence integer not null,
  -- As the wire has them: [{"id", "code", "value"}], empty where the answer is free.
  answers jsonb not null default '[]' check (jsonb_typeof(answers) = 'array'),
  -- A regular expression that a free answer fulfils, and what is answered where nobody says anything.
  answer_pattern text,
  default_answer text
);
create index marker_questions_by_marker on marker_questions (marker_id, sequence);
grant select on marker_questions to phial_app;

create function revise_lab_of_question() returns trigger language plpgsql
set search_path = pg_catalog, public, pg_temp as $$
begin
  update labs set revision = revision + 1
   where id in (select lab_id from markers where markers.id in (old.marker_id, new.marker_id));
  return null;
end $$;
create trigger marker_questions_revise_lab after insert or update or delete on marker_questions
  for each row execute function revise_lab_of_question();

alter table orders
  -- Of a redraw or a recreation: the order that it repeats, in the same transaction.
  add column parent_id uuid,
  add column lab_account_id uuid,
  add column aoe_answers bytea;
-- Orders that wait for their day.
create index orders_scheduled on orders (activate_by) where activate_by is not null and last_low_level_status = 'ordered';

-- The physician's signature lies beside the order, which is read far more often than a requisition is printed.
create table order_signatures (
  user_id uuid not null,
  order_id uuid not null,
  team_id uuid not null,
  content bytea not null,
  created_at timestamptz not null default now(),
  primary key (user_id, order_id),
  foreign key (user_id, order_id) references orders (user_id, id) on update cascade on delete cascade
);
select wall_by_team('order_signatures');

-- What goes out to laboratories that are connected by a message: written in the transaction of the order it tells of,
-- sent in the order of the ids, one laboratory after its own.
create table laboratory_outbox (
  user_id uuid not null,
  id uuid not null,
  order_id uuid not null,
  team_id uuid not null,
  lab_id integer not null references labs,
  action text not null check (action in ('new', 'cancel')),
  -- waiting: to be sent, or sent without an answer; accepted, refused: as the laboratory has answered.
  state text not null default 'waiting' check (state in ('waiting', 'accepted', 'refused')),
  attempts integer not null default 0,
  -- Not before then: a laboratory that is down is asked again later.
  due_at timestamptz not null default now(),
  -- A code, never the text of an answer.
  last_error text,
  created_at timestamptz not null default now(),
  answered_at timestamptz,
  primary key (user_id, id),
  foreign key (user_id, order_id) references orders (user_id, id) on update cascade on delete cascade
);
create index laboratory_outbox_waiting on laboratory_outbox (lab_id, id) where state = 'waiting';
create index laboratory_outbox_by_order on laboratory_outbox (user_id, order_id);
select wall_by_team('laboratory_outbox');
