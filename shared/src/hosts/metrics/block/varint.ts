/**
 * Zigzag of up to ±(2^53 − 1). The doubled number would not fit a double, so that the sign is put below the lowest six bits
 * of the magnitude and the rest follows divided: the same bytes as zigzag and LEB128. Returns where it ends.
 */
export function writeSigned(out: Uint8Array, start: number, value: number): number {
  const magnitude = value < 0 ? -value - 1 : value
  if (magnitude < SMALL / 2) return writeVarint(out, start, magnitude * 2 + (value < 0 ? 1 : 0))
  out[start] = ((magnitude % 64) << 1) | (value < 0 ? 1 : 0) | 128
  return writeVarint(out, start + 1, Math.floor(magnitude / 64))
}

/** Below it integers are reckoned with as such. */
const SMALL = 2 ** 31

/** An unsigned varint of at most 2^53 − 1; returns where it ends. */
export function writeVarint(out: Uint8Array, start: number, value: number): number {
  let end = start
  let rest = value
  while (rest >= SMALL) {
    out[end++] = (rest % 128) | 128
    rest = Math.floor(rest / 128)
  }
  let small = rest | 0
  while (small >= 128) {
    out[end++] = (small & 127) | 128
    small >>= 7
  }
  out[end++] = small
  return end
}
