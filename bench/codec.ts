/**
 * Speed and size of the block codec, as one JSON line: `node bench/codec.ts`.
 * Rates of one thread; every one is the best of several rounds, so that a busy machine shows less.
 */
import { METRIC_GROUPS } from '../shared/src/index.ts'
import { PieceMerger, Series, type StoredPiece, Summary, summarize } from '../backend/src/metrics/aggregate.ts'
import { parsePush } from '../backend/src/metrics/batch.ts'
import { decodeBlock, encodeBlock } from '../backend/src/metrics/block/index.ts'
import { hostColumns, toBody, toRowsBody } from './host-samples.ts'

const HOUR_SAMPLES = 360
const PUSH_SAMPLES = 6

/** Seconds of one call, the best of `rounds`. */
function secondsPerCall(calls: number, run: () => unknown, rounds = 15): number {
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
  const NO_SLOTS = { slotOf: () => undefined, isFull: () => true }
  const limits = { oldestMs: 0, newestMs: 4e12 }
  const bodyOf = { columns: toBody(pushed), rows: toRowsBody(pushed) }
  return Object.fromEntries(
    Object.entries(bodyOf).map(([form, body]) => {
      const text = JSON.stringify(body)
      const parsed: unknown = JSON.parse(text)
      const parse = secondsPerCall(3_000, () => JSON.parse(text))
      const door = secondsPerCall(3_000, () => parsePush(parsed, limits, () => NO_SLOTS))
      return [
        form,
        { bodyBytes: text.length, jsonParseUs: inUs(parse), doorUs: inUs(door), doorToJsonParse: round(door / parse) },
      ]
    }),
  )
}

/** A week of pushes of one server: what a read costs that no rollup serves. */
function weekFigures() {
  const columns = hostColumns(PUSH_SAMPLES)
  const block = encodeBlock(columns)
  const start = columns.atMs[0] ?? 0
  const last = columns.atMs[PUSH_SAMPLES - 1] ?? 0
  const pieces = Array.from({ length: 10_080 }, (_, minute): StoredPiece => {
    const shift = minute * 60_000
    return { t0Ms: start + shift, tLastMs: last + shift, receivedAtMs: last + shift, digest: new Uint8Array(8), block }
  })
  const window = { fromMs: start, toMs: start + 604_800_000 }
  const twice = pieces.flatMap((piece) => [piece, { ...piece, receivedAtMs: piece.receivedAtMs + 1 }])
  const both = () => {
    const merger = new PieceMerger(window, [new Summary(window), new Series(window, 1_800_000)])
    for (const piece of pieces) merger.add(piece)
    merger.finish()
  }
  return {
    pushes: pieces.length,
    summaryMs: inMs(() => summarize(pieces, window, METRIC_GROUPS)),
    summaryOfCpuMs: inMs(() => summarize(pieces, window, ['cpu'])),
    summaryAllOverlappingMs: inMs(() => summarize(twice, window, METRIC_GROUPS)),
    summaryAndSeriesMs: inMs(both),
  }
}

const round = (value: number): number => Math.round(value * 100) / 100
const inMs = (run: () => unknown): number => round(secondsPerCall(1, run, 10) * 1e3)
const inUs = (seconds: number): number => round(seconds * 1e6)

console.log(
  JSON.stringify({
    push: figuresOf(PUSH_SAMPLES, 3_000),
    hour: figuresOf(HOUR_SAMPLES, 200),
    door: doorFigures(),
    week: weekFigures(),
  }),
)
