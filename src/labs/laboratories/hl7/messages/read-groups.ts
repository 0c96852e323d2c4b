import { delimitersOfMessage } from '@phial/hl7/parse';
import { textAt, wholeTextsAt, type Message, type Segment } from '@phial/hl7/message';
import type { Waiting, Warnings } from './result-problem.ts';

/**
 * An OBX with the notes behind it. `ofSpecimen`: it stands behind an SPM that values stood before, and may describe the
 * sample.
 */
export type Noted = { observation: Segment; number: number; notes: string[]; ofSpecimen: boolean };
/** An OBR with what follows it; its own notes are of all its values. `number` is its place in the message. */
export type Group = {
  common: Segment | undefined;
  request: Segment;
  number: number;
  notes: string[];
  observations: Noted[];
  specimens: Segment[];
};

/** What stands before the OBR that it belongs to: it is given to the next one. */
type Ahead = Pick<Group, 'common' | 'notes' | 'specimens'>;
const nothing = (): Ahead => ({ common: undefined, notes: [], specimens: [] });

/** Segments that tell nothing of a result. */
const ASIDE: ReadonlySet<string> = new Set(
  'MSH SFT UAC PID PD1 NK1 PV1 PV2 PRT ARV ROL AL1 DG1 GT1 IN1 IN2 IN3 TQ1 TQ2 CTD CTI FT1 BLG'.split(' '),
);

/**
 * Each OBR with what follows it; ORC stands before its OBR. What is told twice is told once. An OBX that no OBR stands
 * before is of nobody knows which test, and waits.
 */
export function groupsOf(message: Message, warnings: Warnings): { groups: Group[]; waits: Waiting[] } {
  const delimiters = delimitersOfMessage(message);
  const groups: Group[] = [];
  const waits: Waiting[] = [];
  const ofPatient: string[] = [];
  const told = new Map<string, Noted>();
  let ahead = nothing();
  let noted = ofPatient;
  for (const [at, segment] of message.entries()) {
    // Between an ORC and its OBR everything is of the OBR that comes.
    const group = ahead.common === undefined ? groups.at(-1) : undefined;
    const number = at + 1;
    switch (segment.name) {
      case 'ORC':
        if (ahead.common !== undefined) warnings.add('segment_left_out');
        ahead.common = segment;
        noted = ahead.notes;
        break;
      case 'OBR':
        groups.push({ ...ahead, request: segment, number, observations: [] });
        noted = ahead.notes;
        ahead = nothing();
        break;
      case 'OBX':
        noted = [];
        if (group) noted = addObservation(group, { observation: segment, number, notes: noted }, told);
        else waits.push(strayOf(segment, number));
        break;
      case 'NTE':
        noted.push(...wholeTextsAt(segment, 3, delimiters));
        break;
      case 'SPM': {
        const { specimens, notes } = group ?? ahead;
        noted = notes;
        if (!specimens.some((specimen) => contentOf(specimen) === contentOf(segment))) specimens.push(segment);
        break;
      }
      default:
        if (!ASIDE.has(segment.name)) warnings.add(segment.name.startsWith('Z') ? 'local_segment' : 'segment_left_out');
    }
  }
  if (ahead.common !== undefined) warnings.add('segment_left_out');
  const last = groups.at(-1);
  last?.notes.push(...ahead.notes);
  last?.specimens.push(...ahead.specimens);
  for (const { notes } of groups) notes.unshift(...ofPatient);
  return { groups, waits };
}

/** The notes of an OBX of a group, which is added to it unless it is there. */
function addObservation(group: Group, told: Omit<Noted, 'ofSpecimen'>, known: Map<string, Noted>): string[] {
  const { observation, number } = told;
  // Lines of a text may be equal: only their set ids tell them apart.
  const content = isText(observation)
    ? JSON.stringify([observation.fields, textAt(observation, 1) || number])
    : contentOf(observation);
  const key = `${group.number} ${content}`;
  const before = known.get(key);
  if (before) return before.notes;
  const ofSpecimen = group.specimens.length > 0 && group.observations.some((each) => !each.ofSpecimen);
  const added = { ...told, ofSpecimen };
  known.set(key, added);
  group.observations.push(added);
  return added.notes;
}

const strayOf = (observation: Segment, number: number): Waiting => ({
  reason: 'observation_without_request',
  segment: 'OBX',
  number,
  test: null,
  codes: [textAt(observation, 3), textAt(observation, 3, { component: 4 })].filter((code) => code !== ''),
});

/** But for its set id. */
const contentOf = ({ name, fields }: Segment): string => JSON.stringify([name, fields.slice(2)]);

/** Of a text that several OBX may tell, a line each. */
export const isText = (observation: Segment): boolean => ['TX', 'FT'].includes(textAt(observation, 2).toUpperCase());
