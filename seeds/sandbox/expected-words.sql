-- The meaning of the words of the simulated laboratories, for tests that find something or do not.
update marker_analytes ma
   set normal_words = '{Non-reactive,Not reactive,Not detected,None detected,Negative,Absent,Not present}',
       abnormal_words = '{Reactive,Detected,Positive,Present}'
  from analytes a, markers m
 where a.id = ma.analyte_id and m.id = ma.marker_id and a.result_type = 'coded_value' and m.lab_id in (1, 2);
