/**
 * Speed and size of the block codec, as one JSON line: `node bench/codec.ts`.
 * Rates of one thread; every one is the best of several rounds, so that a busy machine shows less.
 */
import { parsePush } from '../backend/src/metrics/batch.ts'
import { decodeBlock, encodeBlock } from '../backend/src/metrics/block/index.ts'
import { hostColumns, toBody, toRowsBody } from './host-samples.ts'

const HOUR_SAMPLES = 360
const PUSH_SAMPLES = 6

/** Seconds of one call, the best of `rounds`. */
function secondsPerCall(calls: number, run: () => void, rounds = 15): number {
  let best = Number.POSITIVE_INFINITY
  for (let round = 0; round < rounds; round++) {
    const start = process.hrtime.bigint()
    for (let call = 0; call < calls; call++) run()
    best = Math.min(best, Number(process.hrtime.bigint() - start) / 1e9 / calls)
  }
  return best
}

function figuresOf(samples: number, calls: number) {
  const columns = hostColumns(samples)
  const points = columns.values.length
  const block = encodeBlock(columns)
  const t0Ms = columns.atMs[0] ?? 0
  const perSecond = (run: () => void) => Math.round(points / secondsPerCall(calls, run) / 1e5) / 10
  return {
    points,
    bytesPerPoint: Math.round((block.length / points) * 1_000) / 1_000,
    encodeMillionPointsPerSecond: perSecond(() => encodeBlock(columns)),
    decodeMillionPointsPerSecond: perSecond(() => decodeBlock(block, t0Ms)),
  }
}

/** The door (checks, rounding, digest, block) beside JSON.parse of the same body: the ratio holds on any machine. */
function doorFigures() {
  const pushed = hostColumns(PUSH_SAMPLES)
  const limits = { oldestMs: 0, newestMs: 4e12 }
  const bodyOf = { columns: toBody(pushed), rows: toRowsBody(pushed) }
  return Object.fromEntries(
    Object.entries(bodyOf).map(([form, body]) => {
      const text = JSON.stringify(body)
      const parsed: unknown = JSON.parse(text)
      const parse = secondsPerCall(3_000, () => JSON.parse(text))
      const door = secondsPerCall(3_000, () => parsePush(parsed, limits))
      return [
        form,
        { bodyBytes: text.length, jsonParseUs: inUs(parse), doorUs: inUs(door), doorToJsonParse: round(door / parse) },
      ]
    }),
  )
}

const round = (value: number): number => Math.round(value * 100) / 100
const inUs = (seconds: number): number => round(seconds * 1e6)

console.log(
  JSON.stringify({
    push: figuresOf(PUSH_SAMPLES, 3_000),
    hour: figuresOf(HOUR_SAMPLES, 200),
    door: doorFigures(),
  }),
)
