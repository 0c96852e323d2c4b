/** The story as it is printed: each line with the seconds since its beginning. */
export type Timeline = {
  /** A part of the story begins. */
  chapter: (title: string) => void;
  /** A request and what came back. */
  step: (what: string, answer: string) => void;
  /** Something arrived by itself. */
  arrival: (what: string) => void;
};

export function openTimeline(print: (line: string) => void): Timeline {
  const begin = performance.now();
  const time = (): string => `${((performance.now() - begin) / 1000).toFixed(3).padStart(8)} s`;
  const indent = ' '.repeat(12);
  return {
    chapter: (title) => print(`\n${title}`),
    step: (what, answer) => print(`${time()}  ${what}\n${indent}${answer}`),
    arrival: (what) => print(`${time()}    <- ${what}`),
  };
}
