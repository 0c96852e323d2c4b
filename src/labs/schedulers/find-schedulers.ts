import type { Ctx, TxCtx } from '../../context.ts';
import { AppError } from '../../errors.ts';
import { CENTER_PROVIDERS, comesToPatients, PHLEBOTOMY_PROVIDERS, type AppointmentProvider } from './providers.ts';
import type { HttpSettings, SchedulerSettings } from './scheduler-settings.ts';

/**
 * The party that books for a provider: the sandbox's own scheduler, a connected scheduler, or the operator by
 * telephone.
 */
export type Scheduler =
  | { by: 'simulated' }
  | { by: 'scheduler'; settings: SchedulerSettings & { http: HttpSettings } }
  | { by: 'operator'; settings: SchedulerSettings };

type AnyCtx = Pick<Ctx | TxCtx, 'db' | 'config'>;

const SIMULATED: Scheduler = { by: 'simulated' };

/**
 * States without simulated visits, because they are far from the towns in which the simulated scheduler pretends to
 * have staff.
 */
const NOT_SIMULATED = new Set(['AK', 'HI', 'PR', 'VI', 'GU', 'MP', 'AS', 'FM', 'MH', 'PW']);

/** Returns the schedulers that the operator has connected. */
export async function findConnected(ctx: AnyCtx): Promise<SchedulerSettings[]> {
  const rows = await ctx.db.selectFrom('scheduler_connections').select('settings').orderBy('provider').execute();
  return rows.map(({ settings }) => settings as SchedulerSettings);
}

function schedulerOf(settings: SchedulerSettings): Scheduler {
  const { http } = settings;
  return http ? { by: 'scheduler', settings: { ...settings, http } } : { by: 'operator', settings };
}

/**
 * Returns the scheduler of a provider. A connected scheduler takes precedence over the simulated one. Throws
 * scheduler_not_connected if there is neither.
 */
export async function findScheduler(ctx: AnyCtx, provider: string): Promise<Scheduler> {
  const found = await findSchedulerOrNull(ctx, provider);
  if (found) return found;
  throw new AppError(
    'scheduler_not_connected',
    `No scheduler of ${provider} is connected to this deployment. The patient must book with the laboratory.`,
  );
}

export async function findSchedulerOrNull(ctx: AnyCtx, provider: string): Promise<Scheduler | null> {
  const settings = (await findConnected(ctx)).find((each) => each.provider === provider);
  if (settings) return schedulerOf(settings);
  return ctx.config.environment === 'sandbox' ? SIMULATED : null;
}

/** Throws scheduler_not_connected if no scheduler offers times for this kind of appointment. */
export async function refuseWithoutScheduler(
  ctx: AnyCtx,
  type: 'phlebotomy' | 'patient_service_center',
): Promise<void> {
  if (ctx.config.environment === 'sandbox') return;
  const connected = await findConnected(ctx);
  if (connected.some(({ provider }) => comesToPatients(provider) === (type === 'phlebotomy'))) return;
  throw new AppError(
    'scheduler_not_connected',
    'No scheduler of such appointments is connected to this deployment. The patient must book with the laboratory.',
  );
}

type ServiceType = 'appointment-ready' | 'appointment-request';
type Comes = { name: AppointmentProvider; service_types: ServiceType[]; scheduler: Scheduler };

/** Returns the providers that visit patients in a state, each with the services that a client can request. */
export async function whoComesTo(ctx: AnyCtx, state: string): Promise<Comes[]> {
  const connected = await findConnected(ctx);
  return PHLEBOTOMY_PROVIDERS.flatMap((name): Comes[] => {
    const settings = connected.find(({ provider }) => provider === name);
    if (!settings) {
      if (ctx.config.environment !== 'sandbox' || NOT_SIMULATED.has(state)) return [];
      // In the simulation, `getlabs` offers appointment slots and also takes requests without a time. `phlebfinders`
      // only takes requests.
      const ready: ServiceType[] = name === 'getlabs' ? ['appointment-ready'] : [];
      return [{ name, service_types: [...ready, 'appointment-request'], scheduler: SIMULATED }];
    }
    if (settings.states && !settings.states.includes(state)) return [];
    const ready: ServiceType[] = settings.http ? ['appointment-ready'] : [];
    const asked: ServiceType[] = (settings.takes_requests ?? true) ? ['appointment-request'] : [];
    return [{ name, service_types: [...ready, ...asked], scheduler: schedulerOf(settings) }];
  });
}

/** Returns the providers that book at service centers through this deployment. */
export async function bookingAtCenters(ctx: AnyCtx): Promise<AppointmentProvider[]> {
  const connected = (await findConnected(ctx)).filter(({ http }) => http !== undefined);
  const simulated = ctx.config.environment === 'sandbox';
  return CENTER_PROVIDERS.filter((name) => simulated || connected.some(({ provider }) => provider === name));
}
