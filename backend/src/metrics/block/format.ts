/**
 * Layout of a block. Integers are LEB128 varints; signed ones are zigzag (0, −1, 1, −2, … are 0, 1, 2, 3, …).
 *
 *   version             1 byte
 *   samples             varint: count * 2 + (1 when evenly spaced)
 *   instants            none for one sample; the step (varint) when evenly spaced;
 *                       else the first step, then the change of each later step (signed). t0 stands in the row, not here
 *   fields              varint: how many
 *   per field, by id    varint: (id − previous id − 1) * 16 + flags, previous of the first being −1
 *                       bitmap of samples that have it, lowest bit first, only with SPARSE
 *                       first value (signed), then nothing with CONSTANT, values (signed) with PLAIN, else deltas (signed);
 *                       all of them divided by 1,024 with KIBI
 *
 * A field that no sample has is not in the block. Nothing follows the last field.
 */
export const BLOCK_VERSION = 1

export const SPARSE = 1
export const CONSTANT = 2
/** Values instead of deltas: two of them lie further apart than the 2^53 − 1 that a double holds exactly. */
export const PLAIN = 4
/** All values are multiples of 1,024, as an operating system counts memory: saves ten bits a value. */
export const KIBI = 8
export const KIBI_SIZE = 1_024
export const FLAGS_RADIX = 16

/** A varint of more bytes could pass 2^56, which no value needs. */
export const MAX_VARINT_BYTES = 8
/** The last instant a Date knows. */
export const MAX_INSTANT_MS = 8_640_000_000_000_000
