-- Connects the laboratory of the demo clinic, which speaks HL7, and returns its id. The service itself may only read the
-- catalogue, so this runs as the owner. It is no seed: a sandbox without a demo clinic shows no connected laboratory.
-- Only sandboxes have seeds.
create function connect_demo_laboratory() returns integer language plpgsql security definer
set search_path = pg_catalog, public, pg_temp as $$
declare
  demo_slug constant text := 'juniper-demo-lab';
  known integer;
  marker integer;
begin
  select id into known from labs where slug = demo_slug;
  if known is not null then return known; end if;
  if not exists (select from seeds where name = 'catalogue.sql') then
    raise exception 'The demo laboratory exists in sandboxes only.';
  end if;
  lock table labs, markers in share row exclusive mode;
  select id into known from labs where slug = demo_slug; -- another transaction was faster
  if known is not null then return known; end if;
  select coalesce(max(id), 0) + 1 into known from labs;
  select coalesce(max(id), 0) + 1 into marker from markers;
  insert into labs (id, slug, name, first_line_address, city, state, zipcode, clia_number, collection_methods,
    sample_types, connection)
  values (known, demo_slug, 'Juniper Demo Laboratory', '300 Example Juniper Road', 'Mesa', 'AZ', '85201', '00D0000003',
    '{on_site_collection}', '{serum}', 'hl7');
  insert into markers (id, lab_id, name, slug, description, provider_id, type, price, a_la_carte_enabled,
    common_tat_days, worst_case_tat_days)
  values (marker, known, 'Heart and sugar panel', 'heart-and-sugar', 'Fasting glucose, hemoglobin A1c and lipids.',
    'JHS', 'panel', 39.00, true, 1, 2);
  insert into marker_analytes (marker_id, analyte_id, position)
  select marker, analytes.id, position
    from unnest('{glucose-fasting,hemoglobin-a1c,total-cholesterol,hdl-cholesterol,triglycerides}'::text[])
           with ordinality as panel (slug, position) join analytes using (slug);
  insert into laboratory_codes (lab_id, code, analyte_id)
  select known, code, analytes.id
    from (values ('GLU', 'glucose-fasting'), ('A1C', 'hemoglobin-a1c'), ('CHO', 'total-cholesterol'),
                 ('HDL', 'hdl-cholesterol'), ('TRI', 'triglycerides')) as named (code, slug) join analytes using (slug);
  insert into laboratory_connections (lab_id, settings)
  values (known, '{"time_zone": "America/Phoenix", "application": "JUNIPER", "facility": "JUNIPERLAB",
    "account_number": "DEMO-1", "orders": {}, "results": {}}');
  return known;
end $$;
revoke all on function connect_demo_laboratory() from public;
grant execute on function connect_demo_laboratory() to phial_app;
