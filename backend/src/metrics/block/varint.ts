/**
 * Zigzag of up to ±(2^53 − 1). The doubled number would not fit a double, so that the sign is put below the lowest six bits
 * of the magnitude and the rest follows divided: the same bytes as zigzag and LEB128. Returns where it ends.
 */
export function writeSigned(out: Uint8Array, start: number, value: number): number {
  const magnitude = value < 0 ? -value - 1 : value
  const low = ((magnitude % 64) << 1) | (value < 0 ? 1 : 0)
  const rest = Math.floor(magnitude / 64)
  if (rest === 0) {
    out[start] = low
    return start + 1
  }
  out[start] = low | 128
  return writeVarint(out, start + 1, rest)
}

/** An unsigned varint of at most 2^53 − 1; returns where it ends. */
export function writeVarint(out: Uint8Array, start: number, value: number): number {
  let end = start
  let rest = value
  while (rest >= 128) {
    out[end++] = (rest % 128) | 128
    rest = Math.floor(rest / 128)
  }
  out[end++] = rest
  return end
}
