-- Ids of what connected laboratories ask. None is given twice, also after its question is gone: answers of orders name it.
-- The questions of simulated laboratories have theirs below 10,000.
create sequence marker_question_ids start 10000;
