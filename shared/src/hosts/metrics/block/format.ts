/**
 * Layout of a block (docs/internals/sample-format.md). Integers are LEB128 varints; signed ones are zigzag (0, −1, 1, −2, … are
 * 0, 1, 2, 3, …).
 *
 *   form                1 byte: PUSH
 *   samples             varint: count * 2 + (1 when evenly spaced)
 *   instants            none for one sample; the step (varint) when evenly spaced;
 *                       else the first step, then the change of each later step (signed). t0 is in the row, not here
 *   fields              varint: how many
 *   per field, by id    varint: (id − previous id − 1) * 32 + flags, previous of the first being −1
 *                       SPARSE: bitmap of samples that have a value, lowest bit first
 *                       then the values, all of them divided by 1,024 with KIBI:
 *                       CONSTANT: the one value (signed)
 *                       0: first value (signed), then deltas (signed)
 *
 * A field that no sample has is not in the block. Nothing follows.
 */
export const PUSH_FORM = 1

export const SPARSE = 1
export const CONSTANT = 2
/** All values are multiples of 1,024, as an operating system counts memory: saves ten bits a value. */
export const KIBI = 4
export const KIBI_SIZE = 1_024
export const FLAGS_RADIX = 32

/** A varint of more bytes could pass 2^56, which no value needs. */
export const MAX_VARINT_BYTES = 8
/** The last instant a Date knows. */
export const MAX_INSTANT_MS = 8_640_000_000_000_000
