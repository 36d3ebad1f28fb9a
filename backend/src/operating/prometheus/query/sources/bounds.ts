import { PromqlError } from '../../../../querying/promql/index.ts'

export const MAX_SERIES = 500_000
export const MAX_SAMPLES = 50_000_000
const MIB = 1_024 * 1_024
const MAX_BYTES = 256 * MIB

/** Refuses before anything is read. Throws PromqlError. */
export function requireWithinBounds({
  series = 0,
  samples = 0,
  bytes = 0,
}: {
  series?: number
  samples?: number
  bytes?: number
}): void {
  if (series > MAX_SERIES) throw tooMuch(series, 'series', MAX_SERIES, 'select less by labels')
  if (samples > MAX_SAMPLES)
    throw tooMuch(samples, 'samples', MAX_SAMPLES, 'take a shorter range, a longer step, or select less by labels')
  if (bytes > MAX_BYTES)
    throw tooMuch(Math.ceil(bytes / MIB), 'MiB', MAX_BYTES / MIB, 'take a shorter range, or select less by labels')
}

const tooMuch = (count: number, unit: string, bound: number, remedy: string): PromqlError =>
  new PromqlError(
    'execution',
    `the query would read ${count.toLocaleString('en')} ${unit}, and ${bound.toLocaleString('en')} are the bound: ${remedy}`,
  )
