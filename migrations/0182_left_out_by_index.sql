-- What is left out is found along indexes, whatever is known of the tables: a plan from when they were tiny, or by statistics that are
-- out of date, would read all users for each new order, and all orders for each user who is leaving.
do $$
declare
  name text;
  setting text;
begin
  foreach name in array array['leave_out(integer)', 'count_left_out(uuid[], integer)', 'count_new_orders()', 'count_gone_orders()',
    'count_moved_order()'] loop
    foreach setting in array array['enable_seqscan', 'enable_bitmapscan', 'enable_hashjoin', 'enable_mergejoin', 'jit'] loop
      execute format('alter function %s set %I = off', name, setting);
    end loop;
  end loop;
end $$;
