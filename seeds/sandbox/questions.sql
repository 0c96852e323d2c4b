-- Questions of the simulated laboratories about some markers, invented in the style of real ones.
insert into marker_questions
  (id, marker_id, sequence, code, value, type, required, answers, answer_pattern, default_answer)
values
  (1, 2004, 1, 'FAST_HOURS', 'Hours since the last meal', 'numeric', true, '[]', null, null),
  (2, 2041, 1, 'PSA_HISTORY', 'Was the prostate operated on or treated?', 'choice', true,
    '[{"id": 1, "code": "Y", "value": "Yes"}, {"id": 2, "code": "N", "value": "No"},
      {"id": 3, "code": "U", "value": "Unknown"}]', null, null),
  (3, 2041, 2, 'PSA_MEDICATION', 'Which of these are taken?', 'multi_choice', false,
    '[{"id": 4, "code": "FIN", "value": "Finasteride"}, {"id": 5, "code": "DUT", "value": "Dutasteride"},
      {"id": 6, "code": "NONE", "value": "None of them"}]', null, 'NONE'),
  (4, 2034, 1, 'CYCLE_DAY', 'Day of the menstrual cycle, or NA', 'text', true, '[]', '^([1-9]|[1-5][0-9]|NA)$', null),
  (5, 2035, 1, 'CYCLE_DAY', 'Day of the menstrual cycle, or NA', 'text', false, '[]', '^([1-9]|[1-5][0-9]|NA)$', 'NA'),
  (6, 2103, 1, 'NO_FAST', 'Is the patient excused from fasting?', 'choice', false,
    '[{"id": 7, "code": "Y", "value": "Yes"}, {"id": 8, "code": "N", "value": "No"}]', null, 'N'),
  (7, 1041, 1, 'PSA_HISTORY', 'Was the prostate operated on or treated?', 'choice', false,
    '[{"id": 9, "code": "Y", "value": "Yes"}, {"id": 10, "code": "N", "value": "No"}]', null, 'N'),
  (8, 2066, 1, 'REASON', 'Why is the test done?', 'text', false, '[]', null, null);
