import * as audit from '../audit/partitions.ts';
import type { Ctx } from '../context.ts';
import { acrossTeams } from '../db/session/bind.ts';
import { refuseIfClockIsOff } from '../db/clock.ts';
import * as delivery from '../delivery/erase.ts';
import * as uploads from '../files/erase.ts';
import * as events from '../events/erase.ts';
import * as responses from '../http/response/erase.ts';
import * as orders from '../labs/orders/erase.ts';
import * as carriers from '../labs/carriers/erase.ts';
import * as hl7 from '../labs/laboratories/hl7/erase.ts';
import * as continuousQueries from '../wearables/aggregate/continuous/erase.ts';
import * as results from '../labs/results/erase.ts';
import * as labReports from '../labs/results/parser/erase.ts';
import * as credentials from '../wearables/credentials/erase.ts';
import * as files from '../wearables/files/erase.ts';
import * as timeseries from '../wearables/timeseries/erase.ts';
import * as hooks from '../wearables/hooks/erase.ts';
import * as link from '../wearables/link/erase.ts';
import * as accessTokens from '../tenancy/access-tokens/erase.ts';
import * as sessions from '../tenancy/sessions/erase.ts';
import * as signIn from '../tenancy/sign-in/erase.ts';
import * as tenancy from '../tenancy/erase.ts';
import * as totals from '../totals/erase.ts';
import * as users from '../users/erase.ts';
import * as mail from '../mail/erase.ts';
import * as webhooks from '../webhooks/erase.ts';

/** Every module that stores some of its data for a limited time only. */
const MODULES: { dropExpired: (ctx: Ctx) => Promise<void> }[] = [
  delivery,
  events,
  webhooks,
  hl7,
  timeseries,
  files,
  results,
  labReports,
  continuousQueries,
  hooks,
  carriers,
  orders,
  link,
  credentials,
  users,
  totals,
  accessTokens,
  sessions,
  signIn,
  mail,
  tenancy,
  responses,
  uploads,
  audit,
];

/** Deletes data whose retention has ended. The database's clock decides. */
export async function dropExpired(ctx: Ctx): Promise<void> {
  await refuseIfClockIsOff(ctx);
  for (const module of MODULES) await module.dropExpired(acrossTeams(ctx));
}
