-- Accounts at the simulated laboratories, open to every team of the sandbox; their numbers are invented.
insert into lab_accounts (id, lab_id, status, delegated_flow, provider_account_id, account_name, allowed_billing)
select id, lab_id, 'active', 'not_delegated', provider_account_id, account_name,
  (select jsonb_object_agg(billing, to_jsonb(string_to_array(
      'AL AK AZ AR CA CO CT DE DC FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND OH '
      'OK OR PA RI SC SD TN TX UT VT VA WA WV WI WY', ' ')))
     from unnest('{client_bill,commercial_insurance,patient_bill,patient_bill_passthrough}'::text[]) billing)
from (values
  ('018f0000-0000-7000-8000-000000000001'::uuid, 1, 'SIM-KIT-1', 'Sandbox account at the simulated kit laboratory'),
  ('018f0000-0000-7000-8000-000000000002', 2, 'SIM-REF-1', 'Sandbox account at the simulated reference laboratory')
) as account (id, lab_id, provider_account_id, account_name);
