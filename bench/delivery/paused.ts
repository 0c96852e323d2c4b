// Measures how much slower deliveries to other endpoints are while a million deliveries wait for a disabled endpoint.
import { median } from '../describe-machine.ts';
import { judge } from '../judge.ts';
import { describeDrained, drain, type Drained } from './drain-backlog.ts';
import { ENDPOINTS_A_TEAM, setDisabled, type Endpoint } from './generator.ts';
import { onStage, type Stage } from './stage.ts';

const MAX_LOST = 0.1;

type Size = { rounds: number; events: number; paused: number };
const WHOLE: Size = { rounds: 4, events: 20_000, paused: 1_000_000 };
const QUICK: Size = { rounds: 1, events: 5_000, paused: 100_000 };

/** Returns true if the goal is reached. */
export const benchPaused = ({ quick }: { quick: boolean }): Promise<boolean> =>
  onStage((stage) => measure(stage, quick ? QUICK : WHOLE));

async function measure(stage: Stage, { rounds, events, paused }: Size): Promise<boolean> {
  const [asleep, ...others] = await stage.endpoints(ENDPOINTS_A_TEAM + 1);
  const programs = [await stage.start('serve')];
  await setDisabled(stage.ctx, [asleep as Endpoint], true);
  await drain(stage, programs, others, events); // warms up
  const ratios: number[] = [];
  const results: Drained[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    const without = await drain(stage, programs, others, events);
    await queue(stage, asleep as Endpoint, paused);
    const beside = await drain(stage, programs, others, events);
    await stage.owner.query('truncate deliveries');
    results.push(without, beside);
    ratios.push(beside.rate / without.rate);
    console.log(`round ${round}: without ${describeDrained(without)}`);
    console.log(`         beside ${paused} that wait ${describeDrained(beside)}; ratio ${ratios.at(-1)?.toFixed(2)}`);
  }
  const ratio = median(ratios);
  const reached = judge('part of the rate that is lost', 1 - ratio, 'at most', MAX_LOST);
  return reached && results.every(({ wrong }) => wrong.length === 0);
}

/** Adds waiting deliveries without events, because nobody reads the events of a disabled endpoint. */
async function queue({ owner }: Stage, { team_id, webhook_id }: Endpoint, rows: number): Promise<void> {
  await owner.query(
    `insert into deliveries (webhook_id, event_id, team_id)
     select $1, ('00000000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, $2 from generate_series(1,
       $3::integer) as n`,
    [webhook_id, team_id, rows],
  );
}
