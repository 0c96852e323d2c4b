/** The groups of events in the order of the list, with the first words of their names. */
const GROUPS = [
  { group: 'Orders and results', words: ['labtest', 'lab_report'] },
  { group: 'Connections', words: ['provider'] },
  { group: 'Wearable data', words: ['daily', 'historical', 'continuous_query'] },
] as const;
const OTHERS = 'Others';

const groupOf = (name: string): string => {
  const word = name.split('.')[0];
  return GROUPS.find(({ words }) => words.some((other) => other === word))?.group ?? OTHERS;
};

/** Every beginning of a name, with a star for what follows. */
const beginningsOf = (name: string): string[] => {
  const parts = name.split('.');
  return parts.slice(1).map((_, n) => `${parts.slice(0, n + 1).join('.')}.*`);
};

/** The choices for an endpoint, in groups: names of events, and their beginnings. `chosen` is among them. */
export function eventChoices(names: readonly string[], chosen: readonly string[]) {
  const all = [...new Set([...names.flatMap(beginningsOf), ...names, ...chosen])].toSorted();
  return [...GROUPS.map(({ group }) => group), OTHERS]
    .map((group) => ({ group, items: all.filter((name) => groupOf(name) === group) }))
    .filter(({ items }) => items.length > 0);
}
