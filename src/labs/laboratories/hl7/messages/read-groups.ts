import type { Segment } from '../codec/message.ts';

/** An OBX with the notes behind it. `ofSpecimen`: it stands behind an SPM that values stood before, and may describe the sample. */
export type Noted = { observation: Segment; notes: string[]; ofSpecimen: boolean };
/** An OBR with what follows it; its own notes are of all its values. */
export type Group = {
  common: Segment | undefined;
  request: Segment;
  notes: string[];
  observations: Noted[];
  specimens: Segment[];
};

/** Each OBR with what follows it; ORC stands before its OBR. What is told twice is told once. */
export function groupsOf(message: Segment[]): Group[] {
  const groups: Group[] = [];
  let common: Segment | undefined;
  let noted: string[] | null = null;
  const known = new Map<Group, Set<string>>();
  const isNew = (group: Group, segment: Segment): boolean => {
    const seen = known.get(group) ?? new Set();
    known.set(group, seen);
    const content = contentOf(segment);
    return !seen.has(content) && Boolean(seen.add(content));
  };
  for (const segment of message) {
    const group = groups.at(-1);
    if (segment.name === 'ORC') {
      common = segment;
      noted = null;
    } else if (segment.name === 'OBR') {
      noted = [];
      groups.push({ common, request: segment, notes: noted, observations: [], specimens: [] });
      common = undefined;
    } else if (segment.name === 'OBX' && group) {
      noted = [];
      const ofSpecimen = group.specimens.length > 0 && group.observations.some((each) => !each.ofSpecimen);
      if (isNew(group, segment)) group.observations.push({ observation: segment, notes: noted, ofSpecimen });
    } else if (segment.name === 'NTE' && noted)
      noted.push(...(segment.fields[3] ?? []).map((part) => part[0]?.[0] ?? ''));
    else if (segment.name === 'SPM' && group) {
      noted = null;
      if (isNew(group, segment)) group.specimens.push(segment);
    }
  }
  return groups;
}

/** But for its set id. */
const contentOf = ({ name, fields }: Segment): string => JSON.stringify([name, fields.slice(2)]);
