import { defineEvent } from '../../../events/define.ts';
import { MatchReview } from './schemas.ts';

export const matchReviewCreated = defineEvent({
  name: 'labtest.match_review.created',
  data: MatchReview,
  ofNobody: true,
  summary: 'A laboratory sent results that belong to no order by their numbers. Somebody has to say whose they are.',
});

export const matchReviewUpdated = defineEvent({
  name: 'labtest.match_review.updated',
  data: MatchReview,
  ofNobody: true,
  summary: 'Somebody has decided about results that belonged to no order.',
});
