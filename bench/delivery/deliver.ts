// Measures how many waiting deliveries a second the program sends and records. Compares that with bare undici, which
// posts to the same sink (the endpoint of the benchmarks).
import { median } from '../describe-machine.ts';
import { judge } from '../judge.ts';
import { postBare } from './bare.ts';
import { describeDrained, drain, type Drained } from './drain-backlog.ts';
import { BODY_BYTES, type Endpoint } from './generator.ts';
import { onStage, type Program, type Stage } from './stage.ts';

const FAST_BARE = 20_000;
const FAST_RATE = 5_000;

type Size = { rounds: number; events: number; warmUp: number; bareMs: number };
const WHOLE: Size = { rounds: 5, events: 30_000, warmUp: 30_000, bareMs: 4_000 };
const QUICK: Size = { rounds: 1, events: 2_000, warmUp: 1_000, bareMs: 300 };

type Options = { quick: boolean };

/** Returns true if the goal is reached. All deliveries go to one endpoint. */
export const benchDeliver = ({ quick }: Options): Promise<boolean> =>
  onStage((stage) => compare(stage, { endpoints: 1, goal: 0.4, size: quick ? QUICK : WHOLE }));

/** As benchDeliver, but the deliveries go to 1,000 endpoints of 100 teams. */
export const benchDeliverMany = ({ quick }: Options): Promise<boolean> =>
  onStage((stage) => compare(stage, { endpoints: 1_000, goal: 0.5, size: quick ? QUICK : WHOLE }));

type Comparison = { endpoints: number; goal: number; size: Size };

async function compare(stage: Stage, { endpoints: count, goal, size }: Comparison): Promise<boolean> {
  const endpoints = await stage.endpoints(count);
  const programs = [await stage.start('serve')];
  const warmUp = await drain(stage, programs, endpoints, size.warmUp);
  console.log(`warm-up: ${describeDrained(warmUp)}`);
  const rounds: Round[] = [];
  for (let n = 1; n <= size.rounds; n += 1) {
    const round = await playRound(stage, programs, endpoints, size);
    rounds.push(round);
    console.log(
      `round ${n}: bare undici ${round.bare.toFixed(0)}/s; ${count} endpoint${count === 1 ? '' : 's'} ` +
        `${describeDrained(round.drained)}; ratio ${ratioOf(round).toFixed(2)}`,
    );
  }
  const ratio = median(rounds.map(ratioOf));
  const rate = median(rounds.map(({ drained }) => drained.rate));
  const bare = median(rounds.map((round) => round.bare));
  console.log(`medians: ${rate.toFixed(0)}/s of bare undici's ${bare.toFixed(0)}/s`);
  const reached = judge('rate, of bare undici', ratio, 'at least', goal);
  const fastEnough = count > 1 || bare < FAST_BARE || rate >= FAST_RATE;
  if (!fastEnough) console.log(`below ${FAST_RATE}/s, although bare undici makes ${FAST_BARE}/s`);
  const allRight = [warmUp, ...rounds.map(({ drained }) => drained)].every(({ wrong }) => wrong.length === 0);
  return reached && fastEnough && allRight;
}

type Round = { bare: number; drained: Drained };
const ratioOf = ({ bare, drained }: Round): number => drained.rate / bare;

async function playRound(stage: Stage, programs: Program[], endpoints: Endpoint[], size: Size): Promise<Round> {
  const paths = endpoints.map(({ path }) => path);
  const work = { origin: stage.sink.origin, paths, bodyBytes: BODY_BYTES, measureMs: size.bareMs };
  const { posted, seconds } = await postBare(work);
  return { bare: posted / seconds, drained: await drain(stage, programs, endpoints, size.events) };
}
