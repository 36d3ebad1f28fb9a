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
 *
 * Version 2, for what is compressed afterwards, has two parts: 4 bytes (lowest first) with the length of the first part behind the
 * version, then what follows the version above, then low bits. The factor of flags is 32, and with PACKED the first value of a field
 * is followed by a byte k, and each delta has only its upper bits there: its zigzag number divided by 2^k (varint). The k bits below
 * stand in the second part, one after the other from the lowest bit of a byte on, those of all fields together, and end with 4 bytes
 * of 0. Low bits of a measured value are noise: taken out, no compression wastes its code table and its time on them, and what is left
 * looks alike in all fields. An hour is a sixth smaller by it.
 *
 * Version 3 is the same, and with PACKED and PLAIN a field is its least value (signed), a byte k, and for each value 0 where it is the
 * least, else 1 and more: how far it is above, divided by 2^k (varint). The k bits below of those that are above stand in the second part.
 */
export const BLOCK_VERSION = 1
export const SPLIT_VERSION = 2
export const APART_VERSION = 3
/** Of version 2 only. */
export const PACKED = 16
export const SPLIT_FLAGS_RADIX = 32
/** Four bytes hold so many bits wherever they begin. */
export const MAX_LOW_BITS = 24
export const LOW_PADDING = 4
/** The version, and the length of the first part. */
export const SPLIT_HEAD = 5

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
