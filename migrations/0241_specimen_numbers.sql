-- An order is also found by the numbers under which its laboratory knows the samples.
alter table order_name_words drop constraint order_name_words_kind_check;
alter table order_name_words add constraint order_name_words_kind_check
  check (kind in ('patient', 'recipient', 'birth_date', 'specimen'));
