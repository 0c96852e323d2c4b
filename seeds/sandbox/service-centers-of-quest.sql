-- A third service center of the simulated reference laboratory (2) in each town of Arizona, at which quest books. A client
-- whose types know quest only then finds locations around the addresses of the quickstart too. All are invented, like those
-- in service-centers.sql.
insert into service_centers
  (lab_id, site_code, name, first_line, city, state, zip_code, phone_number, hours, lat, lng, iana_timezone, capabilities,
    supported_bill_types, scheduling_provider)
select 2, 'SIM' || prefix || '3', format('Simulated Service Center %s 3', city), '300 Example Center Way',
  city, state, prefix || '01', '+16025550103', '{"monday_to_saturday": "07:00-17:00"}'::jsonb,
  -- About seven miles to the south.
  lat - 0.1, lng, iana_timezone, '{stat,appointment_scheduling_via_junction}',
  '{client_bill,commercial_insurance,patient_bill_passthrough,patient_bill}', 'quest'
  from zip_prefixes where length(prefix) = 3 and state = 'AZ'
on conflict do nothing;
