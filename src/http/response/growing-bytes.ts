// A buffer to which we write JSON in parts.

const MIN_BYTES = 4_096;
/** The most bytes that UTF-8 needs for one UTF-16 code unit. */
const MAX_BYTES_OF_UNIT = 3;
/**
 * If the buffer is less than half full, `end` copies its content into a smaller buffer. Otherwise its empty part would
 * use memory until the response is sent.
 */
const FULL_ENOUGH = 0.5;
const [QUOTE, BACKSLASH, FIRST_PRINTED, LAST_ASCII] = [0x22, 0x5c, 0x20, 0x7f];

/**
 * A buffer that grows. It copies a short text character by character. Joining the texts first would take three times as
 * long, because V8 would allocate, flatten and encode the joined text.
 */
export class GrowingBytes {
  #bytes: Buffer;
  #length = 0;

  /** @param expected an estimate of the final number of bytes */
  constructor(expected: number) {
    this.#bytes = Buffer.allocUnsafe(Math.max(expected, MIN_BYTES));
  }

  addByte(byte: number): void {
    this.#reserve(1);
    this.#bytes[this.#length++] = byte;
  }

  addBytes(bytes: Buffer): void {
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#length);
    this.#length += bytes.length;
  }

  /** Writes the text as it is: adds no quotation marks and escapes nothing. */
  add(text: string): void {
    this.#reserve(text.length * MAX_BYTES_OF_UNIT);
    this.#length += this.#bytes.write(text, this.#length);
  }

  /** Like `add`, for a short text with only ASCII characters. */
  addAscii(text: string): void {
    this.#reserve(text.length);
    const bytes = this.#bytes;
    let at = this.#length;
    for (let n = 0; n < text.length; n += 1) bytes[at++] = text.charCodeAt(n);
    this.#length = at;
  }

  addString(text: string): void {
    this.#reserve(text.length + 2);
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

  #reserve(more: number): void {
    if (this.#length + more <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(Math.max(this.#length + more, 2 * this.#bytes.length));
    larger.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = larger;
  }
}
