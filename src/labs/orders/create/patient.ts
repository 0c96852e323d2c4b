import type { TeamCtx } from '../../../context.ts';
import { AppError } from '../../../errors.ts';
import { ADULT_AGE_YEARS, ageInYears } from '../../../wire/birth-date.ts';

/** Orders for minors are a setting of the team, since laws on them differ from state to state. */
export function refuseMinorWithoutSetting(ctx: TeamCtx, dob: string): void {
  if (ageInYears(dob) >= ADULT_AGE_YEARS || ctx.team.settings.minor_ordering_enabled) return;
  throw new AppError(
    'minor_ordering_disabled',
    'The patient is under 18, and this team does not order for minors. The team setting minor_ordering_enabled allows it.',
  );
}
