import { operation } from '../operation/operation.ts';
import { ofTeam, TEAM_PATH } from '../tenancy/team-paths.ts';
import { findDemoClinic } from './find.ts';
import { DemoClinic } from './schemas.ts';
import { startDemoClinic } from './start.ts';

const ofClinic = {
  path: `${TEAM_PATH}/demo_clinic`,
  tag: 'simulation',
  auth: 'management_key',
  scope: 'team',
  params: ofTeam,
  response: DemoClinic,
} as const;

export const demoClinicOperations = [
  operation({
    ...ofClinic,
    id: 'load_demo_clinic',
    method: 'POST',
    status: 202,
    summary: 'Load a demo clinic into a team of a sandbox',
    description:
      'A background job makes 40 invented people with insurance, orders in every status, results over a year, ' +
      'wearables with 30 days of data, and two endpoints, of which one fails. It connects a laboratory that speaks ' +
      'HL7. If the caller manages the whole organisation, it adds two members and an invite. It calls the functions ' +
      'that requests call, so events and webhooks happen too. It takes about a minute, and a team loads it once: 409 ' +
      'demo_clinic_exists. After a failure another POST continues. get_demo_clinic reports the progress.',
    refusals: ['sandbox_only', 'demo_clinic_exists'],
    handle: (ctx) => startDemoClinic(ctx),
  }),
  operation({
    ...ofClinic,
    id: 'get_demo_clinic',
    method: 'GET',
    summary: 'Read the progress of the demo clinic',
    description: 'Also tells whether the team is empty, so that a client may offer the demo clinic.',
    refusals: ['sandbox_only'],
    handle: (ctx) => findDemoClinic(ctx),
  }),
];
