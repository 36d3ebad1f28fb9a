import type { Db, ReadSource, Progress } from '../../platform/db/index.ts'
import { yieldToEventLoop } from '../../platform/concurrency/yield-to-event-loop.ts'
import {
  fieldIdsOf,
  PieceMerger,
  type Series,
  type StoredGroup,
  type StoredPiece,
  type Summary,
  type Window,
} from '../aggregate/index.ts'
import { type ReadPlan, planReads, dayDetail, includesHour, hourPartsOf } from './plan.ts'
import { addDayToSeries, addHalfHoursToSeries } from '../storage/day.ts'
import { DAY_MS, HOUR_MS, HALF_HOUR_MS } from '../storage/schedule.ts'
import { toPiece } from '../storage/hour.ts'
import { type StoredSamples, readStored } from './read-store.ts'
import { readHourPieces } from '../storage/hour-store.ts'
import type { HourSpan, ServerSet } from '../storage/keys.ts'
import { readLatePushes } from '../storage/push-store.ts'
import { decodeTotals, takeRollup, totalsOf } from '../storage/rollup.ts'

/** Where the samples of one server go. */
export interface Sinks {
  summary?: Summary
  series?: Series
}

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
 * Whole days and hours are read by their totals, steps of 5 minutes and more by the means of their days, edges and fine steps by
 * their samples, and hours that are not compacted yet by the pushes. An hour with late samples is read from its samples and pushes.
 *
 * The progress of compaction is guessed from the previous read, and the statement returns the actual one: nearly always one round
 * trip is enough. If the guess was wrong, or samples are late, a second statement uses the returned progress. Samples that are
 * compacted in between are then read from one place or both, and counted once.
 */
export function createSampleReader(): SampleReader {
  let guess: Progress = { hour: -1, day: -1 }

  async function read(from: ReadSource, reading: Reading): Promise<boolean> {
    const { window, core, stepMs, server } = reading
    const hours = { from: Math.floor(window.fromMs / HOUR_MS), to: Math.ceil(window.toMs / HOUR_MS) }
    const request = { core, hours, stepMs }
    const guessed = planReads(request, guess, [])
    let found = await readPlanned(from, reading, hours, guessed)
    if (server && !server.isAsKnown(found)) return false
    guess = found.progress
    const plan = planReads(request, found.progress, found.late)
    let lately: Owned[] = []
    if (!isSame(plan, guessed))
      [found, lately] = await Promise.all([readPlanned(from, reading, hours, plan), readLate(from.db, reading, plan)])
    addDays(reading, plan, found)
    const pieces = addHours(reading, plan, found)
    const pushed = found.pushes.filter(({ t0Ms }) => t0Ms >= plan.openFromMs)
    await addPieces(reading, [...pieces, ...lately, ...pushed])
    return true
  }

  return { read }
}

const isSame = (one: ReadPlan, other: ReadPlan): boolean => JSON.stringify(one) === JSON.stringify(other)

function readPlanned(
  from: ReadSource,
  { organization, servers, groups, window, stepMs, server }: Reading,
  hours: HourSpan,
  plan: ReadPlan,
) {
  const detail = dayDetail(stepMs)
  const open = { fromMs: Math.max(window.fromMs, plan.openFromMs), toMs: window.toMs }
  return readStored(from, {
    organization,
    servers,
    groups,
    hours,
    parts: hourPartsOf(plan, stepMs),
    days: { ...(detail === 'totals' ? plan.days : plan.bucketDays), detail },
    open: open.fromMs < open.toMs ? open : undefined,
    serverId: server?.id,
  })
}

const wantedOf = ({ groups, fieldIds }: Reading): ReadonlySet<number> => fieldIds ?? fieldIdsOf(groups)

type Owned = StoredPiece & { server: number }

const nameOf = ({ server, hour }: { server: number; hour: number }): string => `${server}/${hour}`

/** The samples of hours to which some came late. */
async function readLate(db: Db, { organization }: Reading, { late }: ReadPlan): Promise<Owned[]> {
  const [compacted, pushed] = await Promise.all([readHourPieces(db, organization, late), readLatePushes(db, organization, late)])
  return [...compacted.map((row) => ({ server: row.server, ...toPiece(row) })), ...pushed]
}

function addDays(reading: Reading, plan: ReadPlan, { days }: StoredSamples): void {
  const { sinksOf } = reading
  const wanted = wantedOf(reading)
  for (const { server, day, header, data, isHalfHours } of days) {
    const { summary, series } = sinksOf(server)
    if (includesHour(plan.days, day))
      for (const [id, totals] of decodeTotals(header, day * DAY_MS, wanted)) {
        summary?.addTotals(id, totals)
        if (!data) series?.addTotals(day * DAY_MS, id, totals)
      }
    if (!series || !data) continue
    const add = isHalfHours ? addHalfHoursToSeries : addDayToSeries
    add(day, data, wanted, series, spanOfDay(plan, day))
  }
}

/** Of a day that is not taken as a whole, the hours that are. */
function spanOfDay({ bucketHours, days }: ReadPlan, day: number): Window {
  const whole = { fromMs: day * DAY_MS, toMs: (day + 1) * DAY_MS }
  if (includesHour(days, day)) return whole
  return { fromMs: Math.max(whole.fromMs, bucketHours.from * HOUR_MS), toMs: Math.min(whole.toMs, bucketHours.to * HOUR_MS) }
}

/** Adds the headers of hours; returns the samples of those that the window cuts. */
function addHours(reading: Reading, plan: ReadPlan, { hours }: StoredSamples): Owned[] {
  const { sinksOf } = reading
  const wanted = wantedOf(reading)
  const isLate = new Set(plan.late.map(nameOf))
  const pieces: Owned[] = []
  for (const { server, hour, header, data } of hours) {
    if (isLate.has(nameOf({ server, hour }))) continue
    if (data && plan.edges.some((span) => includesHour(span, hour))) {
      pieces.push({ server, ...toPiece({ hour, data }) })
      continue
    }
    const { summary, series } = sinksOf(server)
    const startMs = hour * HOUR_MS
    const isInDay = plan.isFine && includesHour(plan.bucketHours, hour)
    takeRollup(header, startMs, wanted, (id, field) => {
      summary?.addTotals(id, totalsOf(field))
      if (!data && !isInDay) series?.addBuckets(startMs, HALF_HOUR_MS, id, field.parts)
    })
    if (data) series?.addPiece(toPiece({ hour, data }), wanted)
  }
  return pieces
}

/** Takes pieces in slices: a week of pushes is 10,000 of them, and others wait for the loop. */
async function addPieces(reading: Reading, pieces: readonly Owned[]): Promise<void> {
  const { window, sinksOf } = reading
  const wanted = wantedOf(reading)
  let taken = 0
  for (const [server, own] of Map.groupBy(pieces, (piece) => piece.server)) {
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
