/**
 * Returns the name that is most similar to `word`, or null if none is similar enough. `most` is the largest number of
 * different letters.
 */
export function nearest(word: string, names: readonly string[], most?: number): string | null {
  const reach = (name: string): number => most ?? Math.max(2, name.length / 3);
  const [best] = names
    .filter((name) => Math.abs(name.length - word.length) <= reach(name))
    .map((name) => ({ name, distance: editDistance(word, name) }))
    .filter(({ name, distance }) => distance <= reach(name))
    .toSorted((a, b) => a.distance - b.distance);
  return best?.name ?? null;
}

/** Returns the Levenshtein distance: how many letters we must add, remove or change to turn one word into the other. */
function editDistance(a: string, b: string): number {
  let above = Array.from({ length: b.length + 1 }, (_, column) => column);
  for (let row = 1; row <= a.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= b.length; column += 1) {
      const changed = (above[column - 1] as number) + (a[row - 1] === b[column - 1] ? 0 : 1);
      current.push(Math.min(changed, (above[column] as number) + 1, (current[column - 1] as number) + 1));
    }
    above = current;
  }
  return above[b.length] as number;
}
