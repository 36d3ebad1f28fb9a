/** A piece of what a client sends: a line without its end, or a part of one that is too long. */
export interface Piece {
  bytes: Buffer
  /** Whether its line ends here. */
  ends: boolean
}

const MAX_PIECE_BYTES = 65_536
const CR = 0x0d

/**
 * Lines that end with CR LF. A lone CR or LF is part of its line: what ended a line there would let a sender hide a second mail in the
 * first one from the server in front.
 */
export async function* linesOf(chunks: AsyncIterable<Buffer>): AsyncGenerator<Piece> {
  let rest: Buffer = Buffer.alloc(0)
  for await (const chunk of chunks) {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    for (let end = rest.indexOf('\r\n'); end >= 0; end = rest.indexOf('\r\n')) {
      yield { bytes: rest.subarray(0, end), ends: true }
      rest = rest.subarray(end + 2)
    }
    if (rest.length > MAX_PIECE_BYTES) {
      // A CR may be the first half of an end.
      const end = rest.at(-1) === CR ? rest.length - 1 : rest.length
      yield { bytes: rest.subarray(0, end), ends: false }
      rest = rest.subarray(end)
    }
  }
}
