-- Patient service centers of the simulated reference laboratory (2): two in the main town of each prefix of zip codes.
-- None of them exists; names, streets and telephone numbers are invented. This service books appointments at the first
-- of each town, in Arizona by sonora_quest, elsewhere by quest. The second accepts walk-in patients.
insert into service_centers
  (lab_id, site_code, name, first_line, city, state, zip_code, phone_number, hours, lat, lng, iana_timezone, capabilities,
    supported_bill_types, scheduling_provider)
select 2, 'SIM' || prefix || site, format('Simulated Service Center %s %s', city, site), format('%s00 Example Center Way', site),
  city, state, prefix || '01', '+1602555010' || site, '{"monday_to_saturday": "07:00-17:00"}'::jsonb,
  -- The second is about seven miles to the north.
  lat + (site - 1) * 0.1, lng, iana_timezone,
  case site when 1 then '{stat,appointment_scheduling_via_junction}'::text[] else '{appointment_scheduling_with_lab}' end,
  '{client_bill,commercial_insurance,patient_bill_passthrough,patient_bill}',
  case when site = 1 then case state when 'AZ' then 'sonora_quest' else 'quest' end end
  from zip_prefixes cross join generate_series(1, 2) as site where length(prefix) = 3;
