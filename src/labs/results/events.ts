import { defineEvent } from '../../events/define.ts';
import { CriticalResult } from './schemas.ts';

export const resultCritical = defineEvent({
  name: 'labtest.result.critical',
  data: CriticalResult,
  summary: 'A result is critical: somebody should act on it now. The event carries ids only.',
});
