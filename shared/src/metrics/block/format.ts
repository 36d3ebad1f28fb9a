/**
 * Layout of a block (docs/internals/sample-format.md). Integers are LEB128 varints; signed ones are zigzag (0, −1, 1, −2, … are
 * 0, 1, 2, 3, …).
 *
 *   form                1 byte: PUSH, or SPLIT with 4 more bytes, lowest first: the length up to the low bits
 *   samples             varint: count * 2 + (1 when evenly spaced)
 *   instants            none for one sample; the step (varint) when evenly spaced;
 *                       else the first step, then the change of each later step (signed). t0 is in the row, not here
 *   fields              varint: how many
 *   per field, by id    varint: (id − previous id − 1) * 32 + flags, previous of the first being −1
 *                       SPARSE: bitmap of samples that have a value, lowest bit first
 *                       then the values, all of them divided by 1,024 with KIBI:
 *                       CONSTANT: the one value (signed)
 *                       0: first value (signed), then deltas (signed)
 *                       LOW_BITS: first value (signed), k (1 byte), then the zigzag number of each delta divided by 2^k (varint)
 *                       FRAME: least value (signed), k (1 byte), then for each value 0 if it is the least, else 1 + its distance
 *                       to the least divided by 2^k (varint)
 *   low bits            SPLIT only: the remainders of the divisions by 2^k, k bits each, from the lowest bit of a byte on, all
 *                       fields together; the last byte is followed by 4 bytes of 0
 *
 * A field that no sample has is not in the block. Nothing follows. Low bits of a measured value are noise: kept out of what is
 * compressed they cost no code table and no time, and what remains looks alike in all fields. Pushes are not compressed and have
 * neither LOW_BITS nor FRAME.
 */
export const PUSH_FORM = 1
export const SPLIT_FORM = 2
/** The form and the length. */
export const SPLIT_HEAD = 5

export const SPARSE = 1
export const CONSTANT = 2
/** All values are multiples of 1,024, as an operating system counts memory: saves ten bits a value. */
export const KIBI = 4
export const KIBI_SIZE = 1_024
export const LOW_BITS = 8
export const FRAME = 16
export const FLAGS_RADIX = 32

/** Four bytes hold this many bits wherever they begin. */
export const MAX_LOW_BITS = 24
export const LOW_PADDING = 4
/** A varint of more bytes could pass 2^56, which no value needs. */
export const MAX_VARINT_BYTES = 8
/** The last instant a Date knows. */
export const MAX_INSTANT_MS = 8_640_000_000_000_000
