import type { Ctx, TxCtx } from '../../context.ts';
import { AppError } from '../../errors.ts';
import { CENTER_PROVIDERS, comesToPatients, PHLEBOTOMY_PROVIDERS, type AppointmentProvider } from './providers.ts';
import type { HttpSettings, SchedulerSettings } from './settings.ts';

/** Who books for a provider: the sandbox's own scheduler, a connected one, or the operator by telephone. */
export type Scheduler =
  | { by: 'simulated' }
  | { by: 'scheduler'; settings: SchedulerSettings & { http: HttpSettings } }
  | { by: 'operator'; settings: SchedulerSettings };

type AnyCtx = Pick<Ctx | TxCtx, 'db' | 'config'>;

const SIMULATED: Scheduler = { by: 'simulated' };

/** Where the simulated scheduler sends nobody: too far from the towns that it pretends to have people in. */
const NOT_SIMULATED = new Set(['AK', 'HI', 'PR', 'VI', 'GU', 'MP', 'AS', 'FM', 'MH', 'PW']);

/** Those that an operator has connected. */
export async function findConnected(ctx: AnyCtx): Promise<SchedulerSettings[]> {
  const rows = await ctx.db.selectFrom('scheduler_connections').select('settings').orderBy('provider').execute();
  return rows.map(({ settings }) => settings as SchedulerSettings);
}

function schedulerOf(settings: SchedulerSettings): Scheduler {
  const { http } = settings;
  return http ? { by: 'scheduler', settings: { ...settings, http } } : { by: 'operator', settings };
}

/** A connected one goes before the simulated one. Throws scheduler_not_connected where there is neither. */
export async function findScheduler(ctx: AnyCtx, provider: string): Promise<Scheduler> {
  const found = await findSchedulerOrNull(ctx, provider);
  if (found) return found;
  throw new AppError(
    'scheduler_not_connected',
    `No scheduler of ${provider} is connected to this deployment. The patient books with the laboratory itself.`,
  );
}

export async function findSchedulerOrNull(ctx: AnyCtx, provider: string): Promise<Scheduler | null> {
  const settings = (await findConnected(ctx)).find((each) => each.provider === provider);
  if (settings) return schedulerOf(settings);
  return ctx.config.environment === 'sandbox' ? SIMULATED : null;
}

/** Throws scheduler_not_connected where nobody offers times for this kind of appointment. */
export async function refuseWithoutScheduler(
  ctx: AnyCtx,
  type: 'phlebotomy' | 'patient_service_center',
): Promise<void> {
  if (ctx.config.environment === 'sandbox') return;
  const connected = await findConnected(ctx);
  if (connected.some(({ provider }) => comesToPatients(provider) === (type === 'phlebotomy'))) return;
  throw new AppError(
    'scheduler_not_connected',
    'No scheduler of such appointments is connected to this deployment. The patient books with the laboratory itself.',
  );
}

type ServiceType = 'appointment-ready' | 'appointment-request';
type Comes = { name: AppointmentProvider; service_types: ServiceType[]; scheduler: Scheduler };

/** Who comes to patients in a state, and what can be asked of them. */
export async function whoComesTo(ctx: AnyCtx, state: string): Promise<Comes[]> {
  const connected = await findConnected(ctx);
  return PHLEBOTOMY_PROVIDERS.flatMap((name): Comes[] => {
    const settings = connected.find(({ provider }) => provider === name);
    if (!settings) {
      if (ctx.config.environment !== 'sandbox' || NOT_SIMULATED.has(state)) return [];
      // The simulated getlabs has slots and takes requests, its phlebfinders takes requests only.
      const ready: ServiceType[] = name === 'getlabs' ? ['appointment-ready'] : [];
      return [{ name, service_types: [...ready, 'appointment-request'], scheduler: SIMULATED }];
    }
    if (settings.states && !settings.states.includes(state)) return [];
    const ready: ServiceType[] = settings.http ? ['appointment-ready'] : [];
    const asked: ServiceType[] = (settings.takes_requests ?? true) ? ['appointment-request'] : [];
    return [{ name, service_types: [...ready, ...asked], scheduler: schedulerOf(settings) }];
  });
}

/** Who books at service centers through this deployment. */
export async function bookingAtCenters(ctx: AnyCtx): Promise<AppointmentProvider[]> {
  const connected = (await findConnected(ctx)).filter(({ http }) => http !== undefined);
  const simulated = ctx.config.environment === 'sandbox';
  return CENTER_PROVIDERS.filter((name) => simulated || connected.some(({ provider }) => provider === name));
}
