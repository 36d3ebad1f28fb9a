/** Prometheus' stale marker: a NaN with bits of its own, which only an array of bytes keeps for sure. */
const STALE_HIGH = 0x7ff00000
const STALE_LOW = 2

/** Writes a stale marker at an index. A plain assignment of a NaN would not keep its bits. */
export function setStale(values: Float64Array, index: number): void {
  const view = new DataView(values.buffer, values.byteOffset, values.byteLength)
  view.setUint32(index * 8, STALE_LOW, true)
  view.setUint32(index * 8 + 4, STALE_HIGH, true)
}

export function isStale(values: Float64Array, index: number): boolean {
  const value = values[index]
  if (value === value) return false
  const view = new DataView(values.buffer, values.byteOffset, values.byteLength)
  return view.getUint32(index * 8, true) === STALE_LOW && view.getUint32(index * 8 + 4, true) === STALE_HIGH
}
