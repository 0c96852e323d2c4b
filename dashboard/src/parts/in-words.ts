/** A name of the interface as words: `collecting_sample` becomes "Collecting sample". */
export function inWords(name: string): string {
  const words = name.replaceAll(/[_-]/g, ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
