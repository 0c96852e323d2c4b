// JSON that grows piece by piece, as the bytes that are sent.

const LEAST_BYTES = 4_096;
/** A UTF-16 code unit takes no more in UTF-8. */
const MOST_BYTES_OF_UNIT = 3;
/** A buffer that is less than half full is copied: most of it would lie idle until the answer is sent. */
const FULL_ENOUGH = 0.5;
const [QUOTE, BACKSLASH, FIRST_PRINTED, LAST_ASCII] = [0x22, 0x5c, 0x20, 0x7f];

/**
 * Short texts are copied here, character by character: a text that is put together first is allocated, flattened and encoded, which
 * takes three times as long.
 */
export class GrowingBytes {
  #bytes: Buffer;
  #length = 0;

  /** `expected`: how many bytes it may come to. */
  constructor(expected: number) {
    this.#bytes = Buffer.allocUnsafe(Math.max(expected, LEAST_BYTES));
  }

  addByte(byte: number): void {
    this.#makeRoom(1);
    this.#bytes[this.#length++] = byte;
  }

  addBytes(bytes: Buffer): void {
    this.#makeRoom(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  /** Adds a text as it is. */
  add(text: string): void {
    this.#makeRoom(text.length * MOST_BYTES_OF_UNIT);
    this.#length += this.#bytes.write(text, this.#length);
  }

  /** The same where it is short and has no other characters than those of ASCII. */
  addAscii(text: string): void {
    this.#makeRoom(text.length);
    const bytes = this.#bytes;
    let at = this.#length;
    for (let n = 0; n < text.length; n += 1) bytes[at++] = text.charCodeAt(n);
    this.#length = at;
  }

  /** Adds a text as a string of JSON. */
  addString(text: string): void {
    this.#makeRoom(text.length + 2);
    const bytes = this.#bytes;
    let at = this.#length;
    bytes[at++] = QUOTE;
    for (let n = 0; n < text.length; n += 1) {
      const code = text.charCodeAt(n);
      if (code < FIRST_PRINTED || code > LAST_ASCII || code === QUOTE || code === BACKSLASH)
        return this.add(JSON.stringify(text));
      bytes[at++] = code;
    }
    bytes[at++] = QUOTE;
    this.#length = at;
  }

  end(): Buffer {
    const written = this.#bytes.subarray(0, this.#length);
    return this.#length < this.#bytes.length * FULL_ENOUGH ? Buffer.from(written) : written;
  }

  #makeRoom(more: number): void {
    if (this.#length + more <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.#length + more, 2 * this.#bytes.length));
    larger.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = larger;
  }
}
