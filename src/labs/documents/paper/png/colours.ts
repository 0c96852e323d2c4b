import type { Png } from './read-png.ts';

/** The colour of a pixel on white paper: red, green and blue, 0 to 255 each. */
type OnPaper = [red: number, green: number, blue: number];

/**
 * Returns a function that reads the colour of one pixel of a row. That function returns the same array each time, so
 * the next call overwrites it. It throws if the palette lacks the colour.
 */
export function coloursOf(png: Png): (row: Uint8Array, index: number) => OnPaper {
  const { kind, samples, depth, palette, clear } = png;
  const sample = samplerOf(depth);
  const most = 2 ** depth - 1;
  const seen: OnPaper = [0, 0, 0];
  const onPaper = (red: number, green: number, blue: number, alpha: number): OnPaper => {
    const paper = 255 * (1 - alpha);
    seen[0] = red * alpha + paper;
    seen[1] = green * alpha + paper;
    seen[2] = blue * alpha + paper;
    return seen;
  };
  if (palette)
    return (row, index) => {
      const colour = sample(row, index);
      if (colour * 3 >= palette.length) throw new Error('A pixel has a colour that the palette lacks.');
      const at = colour * 3;
      const alpha = clear && colour < clear.length ? (clear[colour] as number) / 255 : 1;
      return onPaper(palette[at] as number, palette[at + 1] as number, palette[at + 2] as number, alpha);
    };
  const scale = 255 / most;
  const isGrey = kind === 'grey' || kind === 'grey_alpha';
  const hasAlpha = kind === 'grey_alpha' || kind === 'rgb_alpha';
  const [clearRed, clearGreen, clearBlue] =
    clear && !hasAlpha ? [0, 2, 4].map((at) => (at < clear.length - 1 ? clear.readUInt16BE(at) : -1)) : [-1, -1, -1];
  return (row, index) => {
    const at = index * samples;
    const red = sample(row, at);
    const green = isGrey ? red : sample(row, at + 1);
    const blue = isGrey ? red : sample(row, at + 2);
    const isClear = red === clearRed && (isGrey || (green === clearGreen && blue === clearBlue));
    const alpha = hasAlpha ? sample(row, at + samples - 1) / most : isClear ? 0 : 1;
    return onPaper(red * scale, green * scale, blue * scale, alpha);
  };
}

/** Returns a function that reads the sample at an index of a row. */
function samplerOf(depth: number): (row: Uint8Array, index: number) => number {
  if (depth === 8) return (row, index) => row[index] as number;
  if (depth === 16) return (row, index) => ((row[index * 2] as number) << 8) | (row[index * 2 + 1] as number);
  const inByte = 8 / depth;
  const mask = 2 ** depth - 1;
  return (row, index) => ((row[Math.floor(index / inByte)] as number) >> (8 - depth * ((index % inByte) + 1))) & mask;
}
