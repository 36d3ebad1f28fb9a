import type { Db, ReadSource, Progress } from '../../../platform/db/index.ts'
import { yieldToEventLoop } from '../../../platform/concurrency/yield-to-event-loop.ts'
import {
  type FieldBuckets,
  type FieldTotals,
  fieldIdsOf,
  PieceMerger,
  type Series,
  type StoredGroup,
  type StoredPiece,
  type Summary,
  totalOfBuckets,
  type Window,
} from '../aggregate/index.ts'
import { type ReadPlan, planReads, includesHour } from './plan.ts'
import { BUCKET_MS_OF, takeBuckets } from '../storage/day.ts'
import { readHoursOfDay } from '../storage/day-samples.ts'
import { readHoursOfDays } from '../storage/day-store.ts'
import { DAY_MS, HOUR_MS, HALF_HOUR_MS } from '../storage/schedule.ts'
import { pieceOf, toPiece } from '../storage/hour.ts'
import { type HourPart, type StoredSamples, readStored } from './read-store.ts'
import { readHourPieces } from '../storage/hour-store.ts'
import type { HourSpan, ServerSet } from '../storage/keys.ts'
import { readLatePushes } from '../storage/push-store.ts'
import { decodeTotals, takeRollup, totalsOf } from '../storage/rollup.ts'

/** Where the samples of one server go. */
export interface Sinks {
  summary?: Summary
  series?: SeriesSink
}

/** What `Series` takes, wherever it goes. */
export type SeriesSink = Pick<Series, 'add' | 'addColumns' | 'addTotals' | 'addBuckets'>

/** What is read, of several servers at once. */
export interface Reading extends ServerSet {
  /** All that a sink may take lies in it. */
  window: Window
  /** What lies in it is taken by every sink: here alone is a whole hour or day taken by what it adds up to. */
  core: Window
  groups: readonly StoredGroup[]
  /** Of the groups these fields alone; all of them where nothing is said. */
  fieldIds?: ReadonlySet<number>
  /** Step of the series, ms; undefined without one. */
  stepMs: number | undefined
  sinksOf(server: number): Sinks
  /** The server to look up in the same query; the read stops if `isAsKnown` returns false. */
  server?: { id: string; isAsKnown(found: Pick<StoredSamples, 'server' | 'plan'>): boolean }
}

export interface SampleReader {
  /**
   * Hands every sample of the window to the sinks of its server, each once. False, and nothing was handed on, when the server is
   * not as known.
   */
  read(from: ReadSource, reading: Reading): Promise<boolean>
}

/** Pieces decoded before yielding to other requests: some 2 ms. */
const PIECES_A_TURN = 500

/**
 * Whole days and hours are read by their totals, steps of 5 minutes and more by the buckets of their days, edges and fine steps by
 * their samples, and hours that are not compacted yet by the pushes. An hour with late samples is read from its samples and pushes.
 *
 * The progress of compaction is guessed from the previous read, and the statement returns the actual one: nearly always one round
 * trip is enough. If the guess was wrong, or buckets of a day with late samples are missing, another statement uses what this one
 * returned. Samples that are compacted in between are then read from one place or both, and counted once.
 */
export function createSampleReader(): SampleReader {
  let guess: Progress = { hour: -1, day: -1 }

  async function read(from: ReadSource, given: Reading): Promise<boolean> {
    const { window, core, stepMs, server } = given
    const reading = { ...given, fieldIds: given.fieldIds ?? fieldIdsOf(given.groups) }
    const hours = { from: Math.floor(window.fromMs / HOUR_MS), to: Math.ceil(window.toMs / HOUR_MS) }
    const request = { core, hours, stepMs }
    let plan = planReads(request, guess, [])
    let found = await readPlanned(from, reading, hours, plan)
    if (server && !server.isAsKnown(found)) return false
    // The hours of a day are removed some time after it is finished: what is read has to be of one progress.
    for (;;) {
      guess = found.progress
      const [read, next] = [plan, planReads(request, found.progress, found.late)]
      plan = next
      if (isSame(next, read)) break
      found = await readPlanned(from, reading, hours, next)
    }
    addDays(reading, plan, found)
    const pieces = addHours(reading, plan, found)
    const late = plan.late.length > 0 ? await readLate(from.db, reading, plan) : []
    const byServer = new Map<number, StoredPiece[]>()
    for (const { server, pieces: pushed } of found.pushes)
      byServer.set(
        server,
        pushed.filter(({ t0Ms }) => t0Ms >= plan.openFromMs),
      )
    for (const piece of [...pieces, ...chapterPieces(reading, plan, found), ...late]) {
      const own = byServer.get(piece.server)
      if (own) own.push(piece)
      else byServer.set(piece.server, [piece])
    }
    await addPieces(reading, byServer)
    return true
  }

  return { read }
}

/** Late hours are left out of what was read, so that they need no other statement. */
const isSame = (one: ReadPlan, other: ReadPlan): boolean =>
  JSON.stringify({ ...one, late: undefined }) === JSON.stringify({ ...other, late: undefined })

function readPlanned(
  from: ReadSource,
  { organization, servers, groups, window, server }: Reading,
  hours: HourSpan,
  { days, detailed, detail, sampled, whole, isFine, edges, openFromMs }: ReadPlan,
) {
  const open = { fromMs: Math.max(window.fromMs, openFromMs), toMs: window.toMs }
  const parts: HourPart[] = [
    ...(whole.from < whole.to ? [{ ...whole, detail: isFine ? ('samples' as const) : ('totals' as const) }] : []),
    ...edges.map((span): HourPart => ({ ...span, detail: 'samples' })),
  ]
  return readStored(from, {
    organization,
    servers,
    groups,
    hours,
    parts,
    sampled,
    days,
    detailed,
    detail,
    open: open.fromMs < open.toMs ? open : undefined,
    serverId: server?.id,
  })
}

/** With the fields that are wanted. */
type FieldReading = Reading & Required<Pick<Reading, 'fieldIds'>>

type Owned = StoredPiece & { server: number }

const nameOf = (server: number, at: number): string => `${server}/${at}`

/** The samples of hours to which some came late, wherever they are. */
async function readLate(db: Db, reading: FieldReading, { late }: ReadPlan): Promise<Owned[]> {
  const { organization } = reading
  const [hours, chapters, pushed] = await Promise.all([
    readHourPieces(db, organization, late),
    readHoursOfDays(db, organization, late),
    readLatePushes(db, organization, late),
  ])
  const { fieldIds: wanted } = reading
  return [...hours.map((row) => ({ server: row.server, ...toPiece(row, wanted) })), ...piecesOf(chapters, wanted), ...pushed]
}

function chapterPieces(reading: FieldReading, { late }: ReadPlan, { chapters }: StoredSamples): Owned[] {
  const isLate = new Set(late.map(({ server, hour }) => nameOf(server, hour)))
  return piecesOf(chapters, reading.fieldIds).filter(
    ({ server, t0Ms }) => !isLate.has(nameOf(server, Math.floor(t0Ms / HOUR_MS))),
  )
}

const piecesOf = (chapters: StoredSamples['chapters'], wanted: ReadonlySet<number>): Owned[] =>
  [...Map.groupBy(chapters, ({ server, hour }) => nameOf(server, hour)).values()].flatMap((own) => {
    const [{ server, hour: first }] = own as [StoredSamples['chapters'][number]]
    return readHoursOfDay(first, own, wanted).map(({ hour, columns }) => ({ server, ...pieceOf(hour, columns) }))
  })

function addDays(reading: FieldReading, { rolled, detail, late }: ReadPlan, { days }: StoredSamples): void {
  const { fieldIds: wanted } = reading
  const lateHours = Map.groupBy(late, ({ server, hour }) => nameOf(server, Math.floor(hour / 24)))
  const totalsOf = new Map<string, ReadonlyMap<number, FieldTotals>>()
  for (const { server, day, header } of days)
    if (header) totalsOf.set(nameOf(server, day), decodeTotals(header, day * DAY_MS, wanted))
  for (const { server, day, data } of days) {
    const { summary, series } = reading.sinksOf(server)
    const totals = totalsOf.get(nameOf(server, day)) ?? new Map<number, FieldTotals>()
    if (!data) {
      for (const [id, own] of totals) {
        summary?.addTotals(id, own)
        series?.addTotals(day * DAY_MS, id, own)
      }
      continue
    }
    const left = new Set((lateHours.get(nameOf(server, day)) ?? []).map(({ hour }) => hour))
    const isWhole = rolled.from <= day * 24 && left.size === 0
    const out = isWhole ? [] : bucketsOf(day, BUCKET_MS_OF[detail], (hour) => hour < rolled.from || left.has(hour))
    takeBuckets(data, wanted, (id, buckets) => {
      const own = totals.get(id)
      if (!own) return
      leaveOut(buckets, out)
      const part = isWhole ? own : totalOfBuckets(buckets)
      if (part.count > 0) summary?.addTotals(id, { ...own, ...part })
      series?.addBuckets(day * DAY_MS, BUCKET_MS_OF[detail], id, buckets)
    })
  }
}

/** The buckets of a day in these hours. */
const bucketsOf = (day: number, bucketMs: number, isIn: (hour: number) => boolean): number[] =>
  Array.from({ length: DAY_MS / bucketMs }, (_, bucket) => bucket).filter((bucket) =>
    isIn(day * 24 + Math.floor((bucket * bucketMs) / HOUR_MS)),
  )

function leaveOut({ counts, low, high, maxima }: FieldBuckets, out: readonly number[]): void {
  for (const bucket of out) {
    counts[bucket] = 0
    low[bucket] = 0
    maxima[bucket] = Number.NEGATIVE_INFINITY
    high.delete(bucket)
  }
}

/** Adds the headers of hours; returns the samples of those that the window cuts. */
function addHours(reading: FieldReading, { late, edges }: ReadPlan, { hours }: StoredSamples): Owned[] {
  const { sinksOf, fieldIds: wanted } = reading
  const isLate = new Set(late.map(({ server, hour }) => nameOf(server, hour)))
  const pieces: Owned[] = []
  for (const { server, hour, header, data } of hours) {
    if (isLate.has(nameOf(server, hour))) continue
    if (data && edges.some((span) => includesHour(span, hour))) {
      pieces.push({ server, ...toPiece({ hour, data }, wanted) })
      continue
    }
    const { summary, series } = sinksOf(server)
    const startMs = hour * HOUR_MS
    takeRollup(header, startMs, wanted, (id, field) => {
      summary?.addTotals(id, totalsOf(field))
      if (!data) series?.addBuckets(startMs, HALF_HOUR_MS, id, field.parts)
    })
    if (data) series?.addColumns(toPiece({ hour, data }, wanted).columns)
  }
  return pieces
}

/** Takes pieces in slices: a week of pushes is 10,000 of them, and others wait for the loop. */
async function addPieces(reading: FieldReading, pieces: ReadonlyMap<number, StoredPiece[]>): Promise<void> {
  const { window, sinksOf, fieldIds: wanted } = reading
  let taken = 0
  for (const [server, own] of pieces) {
    const { summary, series } = sinksOf(server)
    const sinks = [summary, series].filter((sink) => sink !== undefined)
    const merger = new PieceMerger(window, sinks, wanted)
    for (const piece of own.sort((left, right) => left.t0Ms - right.t0Ms)) {
      taken += 1
      if (taken % PIECES_A_TURN === 0) await yieldToEventLoop()
      merger.add(piece)
    }
    merger.finish()
  }
}
