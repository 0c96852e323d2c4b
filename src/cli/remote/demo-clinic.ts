import { setTimeout as wait } from 'node:timers/promises';
import { PhialError, unwrap, type components, type Phial } from '@phial/client';
import { CommandError } from '../command.ts';
import { printJson } from '../print.ts';
import { openProgress } from '../progress.ts';
import { findManagedTeam, withRemote, type ManagedTeam } from './with-remote.ts';

type Clinic = components['schemas']['DemoClinic'];

type DemoClinicOptions = {
  url: string | undefined;
  key: string | undefined;
  org: string | undefined;
  team: string | undefined;
  json: boolean;
};

const PATH = '/v1/org/{org_id}/team/{team_id}/{environment}/demo_clinic';
const LOOK_EVERY_MS = 500;
/** A step is tried again for two minutes after its worker was killed. */
const STUCK_AFTER_MS = 300_000;

/** Loads the demo clinic into a team of a sandbox and waits for its end. A second run watches the first. */
export async function demoClinicCommand(values: DemoClinicOptions): Promise<number> {
  return withRemote('demo-clinic', values, async (remote) => {
    const { manager, path } = await findManagedTeam('demo-clinic', remote, values);
    const clinic = await watch(await start(manager, path), () => read(manager, path));
    if (values.json) printJson(clinic);
    else if (clinic.state === 'loaded') console.log('The demo clinic is loaded.');
    if (clinic.state === 'loaded') return 0;
    throw new CommandError(
      `The demo clinic stopped at step ${clinic.done + 1} of ${clinic.total}. The log of the service says why. Run ` +
        'the command again to continue with this step.',
    );
  });
}

const read = (manager: Phial, path: ManagedTeam): Promise<Clinic> => unwrap(manager.GET(PATH, { params: { path } }));

/** Begins the load, or returns the state of the one that the team has. */
async function start(manager: Phial, path: ManagedTeam): Promise<Clinic> {
  try {
    return await unwrap(manager.POST(PATH, { params: { path } }));
  } catch (error) {
    if (error instanceof PhialError && error.code === 'demo_clinic_exists') return read(manager, path);
    throw error;
  }
}

async function watch(begun: Clinic, look: () => Promise<Clinic>): Promise<Clinic> {
  const progress = openProgress();
  let clinic = begun;
  let movedAt = performance.now();
  try {
    while (clinic.state === 'loading') {
      const { done, total, next } = clinic;
      progress.show(`${done} of ${total} steps. ${next ?? ''}`.trimEnd(), { done, total });
      await wait(LOOK_EVERY_MS);
      clinic = await look();
      if (clinic.done !== done) movedAt = performance.now();
      if (performance.now() - movedAt > STUCK_AFTER_MS)
        throw new CommandError('The demo clinic does not go on. Check that a worker runs.');
    }
  } finally {
    progress.end();
  }
  return clinic;
}
