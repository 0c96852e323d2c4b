import { delimitersOfMessage } from '@phial/hl7/parse';
import { textAt, wholeTextsAt, type Message, type Segment } from '@phial/hl7/message';
import type { WaitingPart, Warnings } from './result-problem.ts';

/**
 * An OBX (a value) with the notes after it. `ofSpecimen` is true if the OBX comes after an SPM (a sample) that follows
 * values. Then the OBX may describe the sample.
 */
export type Noted = { observation: Segment; number: number; notes: string[]; ofSpecimen: boolean };
/**
 * An OBR (a test) with the segments that belong to it. The notes of the OBR apply to all its values. `number` is the
 * position of the OBR in the message.
 */
export type Group = {
  common: Segment | undefined;
  request: Segment;
  number: number;
  notes: string[];
  observations: Noted[];
  specimens: Segment[];
};

/** Segments before the OBR (the test) to which they belong. They become part of the next OBR's group. */
type Ahead = Pick<Group, 'common' | 'notes' | 'specimens'>;
const nothing = (): Ahead => ({ common: undefined, notes: [], specimens: [] });

/** Segments that contain no data about a result. */
const ASIDE: ReadonlySet<string> = new Set(
  'MSH SFT UAC PID PD1 NK1 PV1 PV2 PRT ARV ROL AL1 DG1 GT1 IN1 IN2 IN3 TQ1 TQ2 CTD CTI FT1 BLG'.split(' '),
);

/**
 * Returns each OBR with the segments that belong to it: the ORC before it and the segments after it. We ignore an exact
 * repetition of a segment. If an OBX comes before any OBR, we do not know its test, so it waits for repair.
 */
export function groupsOf(message: Message, warnings: Warnings): { groups: Group[]; waits: WaitingPart[] } {
  const delimiters = delimitersOfMessage(message);
  const groups: Group[] = [];
  const waits: WaitingPart[] = [];
  const ofPatient: string[] = [];
  const seen = new Map<string, Noted>();
  let ahead = nothing();
  let noted = ofPatient;
  for (const [at, segment] of message.entries()) {
    // Everything between an ORC and its OBR belongs to that OBR.
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
        if (group) noted = addObservation(group, { observation: segment, number, notes: noted }, seen);
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

/** Adds an OBX to a group, unless the group has the same OBX already. Returns the list for the notes of the OBX. */
function addObservation(group: Group, noted: Omit<Noted, 'ofSpecimen'>, known: Map<string, Noted>): string[] {
  const { observation, number } = noted;
  // Two lines of a text may be equal. Such lines have different set ids (OBX-1), while a repetition has the same set
  // id.
  const content = isText(observation)
    ? JSON.stringify([observation.fields, textAt(observation, 1) || number])
    : contentOf(observation);
  const key = `${group.number} ${content}`;
  const before = known.get(key);
  if (before) return before.notes;
  const ofSpecimen = group.specimens.length > 0 && group.observations.some((each) => !each.ofSpecimen);
  const added = { ...noted, ofSpecimen };
  known.set(key, added);
  group.observations.push(added);
  return added.notes;
}

const strayOf = (observation: Segment, number: number): WaitingPart => ({
  reason: 'observation_without_request',
  segment: 'OBX',
  number,
  test: null,
  codes: [textAt(observation, 3), textAt(observation, 3, { component: 4 })].filter((code) => code !== ''),
});

/** Returns the content of a segment without its first field, the set id, which only counts segments. */
const contentOf = ({ name, fields }: Segment): string => JSON.stringify([name, fields.slice(2)]);

/** Returns whether an OBX has a text type (TX or FT). Several such OBX may be the lines of one text. */
export const isText = (observation: Segment): boolean => ['TX', 'FT'].includes(textAt(observation, 2).toUpperCase());
