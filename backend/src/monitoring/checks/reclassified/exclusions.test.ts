import { RECLASSIFIED_AS } from '@vedette/shared'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { mergeSpans } from '../../../alerting/alerts/index.ts'
import { divideExclusions } from './exclusions.ts'

const span = fc
  .tuple(fc.integer({ min: 0, max: 60 }), fc.integer({ min: 1, max: 12 }))
  .map(([fromMs, length]) => ({ fromMs, toMs: fromMs + length }))
const windows = fc.array(span, { maxLength: 6 }).map(mergeSpans)
/** In order, without overlaps, and some that touch. */
const reclassified = fc
  .array(fc.tuple(fc.integer({ min: 0, max: 8 }), fc.integer({ min: 1, max: 12 }), fc.constantFrom(...RECLASSIFIED_AS)), {
    maxLength: 6,
  })
  .map((parts) => {
    let endMs = 0
    return parts.map(([gap, length, as]) => {
      const fromMs = endMs + gap
      endMs = fromMs + length
      return { fromMs, toMs: endMs, as }
    })
  })
const holds = (all: readonly { fromMs: number; toMs: number }[], ms: number) =>
  all.some(({ fromMs, toMs }) => fromMs <= ms && ms < toMs)

it('each instant is left out as people say, else as windows say, and never twice', () => {
  fc.assert(
    fc.property(windows, reclassified, span, (maintenance, said, window) => {
      const divided = divideExclusions(maintenance, said, window)
      for (let ms = -1; ms < 90; ms += 1) {
        const as = said.find((one) => holds([one], ms))?.as
        const isInside = holds([window], ms)
        expect([holds(divided.maintenance, ms), holds(divided.asMaintenance, ms), holds(divided.excluded, ms)]).toEqual([
          isInside && as === undefined && holds(maintenance, ms),
          isInside && as === 'maintenance',
          isInside && as === 'excluded',
        ])
      }
    }),
  )
})
