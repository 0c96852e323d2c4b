import { randomBytes } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { unwrap, type components, type Phial } from '@phial/client';
import { CommandError } from '../command.ts';
import type { Scenario, Stage } from './scenario.ts';

type Method = 'testkit' | 'walk_in_test';
type Flags = components['schemas']['SimulationFlags'];

const PERSON = {
  first_name: 'Grace',
  last_name: 'Palmer',
  dob: '1988-04-12',
  gender: 'female' as const,
  phone_number: '+16025550123',
  email: 'grace@example.com',
};
const ADDRESS = {
  receiver_name: 'Grace Palmer',
  first_line: '100 West Test Street',
  city: 'Phoenix',
  state: 'AZ',
  zip: '85004',
  country: 'US' as const,
  phone_number: PERSON.phone_number,
};
const PHYSICIAN = { first_name: 'Ana', last_name: 'Ruiz', npi: '1234567893' };
/** The simulated laboratory loses the number of the order of such a patient. */
const LOST_NAME = 'Unmatched';
/** The laboratory of the sandbox that has service centers in Phoenix. */
const CENTERS = { lab: 'sonora_quest', zip_code: ADDRESS.zip } as const;

/** Scenarios about laboratory tests, by the type of the event that they publish. */
export const LAB_SCENARIOS: Readonly<Record<string, Scenario>> = {
  'labtest.order.created': { does: 'Orders a test kit.', play: orderKit },
  'labtest.order.updated': {
    does: 'Orders a test kit and ships it.',
    play: async (stage) => simulate(stage.phial, await orderKit(stage)),
  },
  'labtest.appointment.created': {
    does: 'Orders a blood draw and books a slot at a service center.',
    play: bookDraw,
  },
  'labtest.appointment.updated': {
    does: 'Books a blood draw and has the sample taken.',
    play: async (stage) => simulate(stage.phial, await bookDraw(stage)),
  },
  'labtest.result.critical': {
    does: 'Orders a blood draw, and the laboratory reports a critical result.',
    play: async (stage) => simulate(stage.phial, await orderDraw(stage), { interpretation: 'critical' }),
  },
  'labtest.match_review.created': {
    does: 'Orders a blood draw, and the laboratory loses the number of the order.',
    play: loseResult,
  },
  'labtest.match_review.updated': {
    does: 'Lets the laboratory lose the number of an order, and decides to which order the result belongs.',
    play: async (stage) => acceptResult(stage.phial, await loseResult(stage)),
  },
  'lab_report.parsing_job.created': { does: 'Sends the results of an order as a PDF to be read.', play: sendReport },
  'lab_report.parsing_job.updated': {
    does: 'Sends the results of an order as a PDF, which is read.',
    play: sendReport,
  },
};

async function findLabTest(phial: Phial, method: Method): Promise<string> {
  const query = { collection_method: method, lab_test_limit: 1 };
  const { data } = await unwrap(phial.GET('/v3/lab_test', { params: { query } }));
  if (data[0]) return data[0].id;
  throw new CommandError(`The team has no lab test with the collection method ${method}.`);
}

export async function orderKit({ phial, user_id }: Pick<Stage, 'phial' | 'user_id'>): Promise<string> {
  const lab_test_id = await findLabTest(phial, 'testkit');
  const body = { user_id, lab_test_id, shipping_details: ADDRESS };
  return (await unwrap(phial.POST('/v3/order/testkit', { body }))).order.id;
}

async function orderDraw({ phial, user_id }: Stage, last_name = PERSON.last_name): Promise<string> {
  const body = {
    user_id,
    order_set: { lab_test_ids: [await findLabTest(phial, 'walk_in_test')] },
    collection_method: 'walk_in_test' as const,
    patient_details: { ...PERSON, last_name },
    patient_address: ADDRESS,
    physician: PHYSICIAN,
  };
  return (await unwrap(phial.POST('/v3/order', { body }))).order.id;
}

async function bookDraw(stage: Stage): Promise<string> {
  const { phial } = stage;
  const order_id = await orderDraw(stage);
  const { slots } = await unwrap(phial.POST('/v3/order/psc/appointment/availability', { params: { query: CENTERS } }));
  const offered = slots.flatMap((day) => day.slots).flatMap(({ booking_key }) => booking_key ?? []);
  // Anybody may book a slot meanwhile, so each run takes another one.
  const booking_key = offered[randomBytes(4).readUInt32BE() % Math.max(1, offered.length)];
  if (booking_key === undefined) throw new CommandError('No service center has a free slot now. Try again tomorrow.');
  const params = { path: { order_id } };
  await unwrap(phial.POST('/v3/order/{order_id}/psc/appointment/book', { params, body: { booking_key } }));
  return order_id;
}

const simulate = (phial: Phial, order_id: string, body: Flags | null = null): Promise<unknown> =>
  unwrap(phial.POST('/v3/order/{order_id}/test', { params: { path: { order_id } }, body }));

async function loseResult(stage: Stage): Promise<string> {
  const order_id = await orderDraw(stage, LOST_NAME);
  await simulate(stage.phial, order_id);
  return order_id;
}

const LOOKS = 50;
const LOOK_EVERY_MS = 200;

/** Accepts the waiting result for the order that is among its candidates. */
async function acceptResult(phial: Phial, order_id: string): Promise<void> {
  for (let look = 0; look < LOOKS; look += 1) {
    const query = { status: 'pending_customer_review', limit: 100 };
    const { data } = await unwrap(phial.GET('/v3/unmatched_result', { params: { query } }));
    const lost = data.find((result) => JSON.stringify(result).includes(order_id));
    if (lost) {
      const params = { path: { raw_result_id: lost.id } };
      await unwrap(phial.POST('/v3/unmatched_result/{raw_result_id}/accept', { params, body: { order_id } }));
      return;
    }
    await wait(LOOK_EVERY_MS);
  }
  throw new CommandError('The lost result did not arrive. Run the command again.');
}

/** Sends the PDF of the results of an order. */
async function sendReport(stage: Stage): Promise<void> {
  const { phial, user_id } = stage;
  const order_id = await orderDraw(stage);
  await simulate(phial, order_id);
  const params = { path: { order_id } };
  const pdf = await unwrap(phial.GET('/v3/order/{order_id}/result/pdf', { params, parseAs: 'blob' }));
  await unwrap(
    phial.POST('/lab_report/v1/parser/job', {
      body: { user_id, file: [] as never },
      bodySerializer: () => {
        const form = new FormData();
        form.set('user_id', user_id);
        form.set('file', pdf as unknown as Blob, 'report.pdf');
        return form;
      },
    }),
  );
}
