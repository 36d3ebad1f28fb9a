import type { Db } from '../../platform/db/index.ts'
import { nextTurn } from '../../platform/turn.ts'
import {
  fieldIdsOf,
  PieceMerger,
  type Series,
  type StoredGroup,
  type StoredPiece,
  type Summary,
  type Window,
} from '../aggregate.ts'
import { DAY_MS, readBuckets } from './day.ts'
import { decodeHeader } from './header.ts'
import { HOUR_MS, toPiece } from './hour.ts'
import * as store from './store.ts'

/** Where the samples of one server go. */
export interface Sinks {
  summary?: Summary
  series?: Series
}

/** What is read, of several servers at once. */
export interface Reading extends store.ServerSet {
  /** All that a sink may take lies in it. */
  window: Window
  /** What lies in it is taken by every sink: here alone is a whole hour or day taken by what it adds up to. */
  core: Window
  groups: readonly StoredGroup[]
  /** Step of the series, ms; undefined without one. */
  stepMs: number | undefined
  sinksOf(server: number): Sinks
}

/** Pieces decoded between two looks at other requests: some 2 ms. */
const PIECES_A_TURN = 500

/**
 * Hands every sample of the window to the sinks of its server, each once: whole days and hours by what they add up to, edges and
 * fine steps by their samples, what is not put together yet by the pushes. An hour with late samples is read from its samples
 * and its pushes. Which those are is read first: what the job does in between is then seen in both places or in one, and
 * counted once.
 */
export async function readInto(db: Db, reading: Reading): Promise<void> {
  const { window } = reading
  const hours = { from: Math.floor(window.fromMs / HOUR_MS), to: Math.ceil(window.toMs / HOUR_MS) }
  const [progress, late] = await Promise.all([store.readProgress(db), store.listLateHours(db, reading, hours)])
  const cut = cutHours(reading, hours, progress, late)
  // All at once: what a read takes is mostly the way to the database and back.
  const [days, headers, open] = await Promise.all([
    readDays(db, reading, cut),
    readHeaders(db, reading, cut),
    readOpen(db, reading, cut),
  ])
  addDays(reading, days)
  addHeaders(reading, cut, headers)
  await addPieces(reading, open)
}

/** What of the window is read how; hours and days since the epoch. */
interface Cut {
  days: store.HourSpan
  /** Read by headers, without those that are late for a server. */
  headers: store.HourSpan[]
  /** Read by samples. */
  blocks: store.HourSpan[]
  late: readonly { server: number; hour: number }[]
  /** From here on only pushes have the samples. */
  openFromMs: number
}

function cutHours(
  { core, stepMs }: Reading,
  hours: store.HourSpan,
  progress: store.Progress,
  late: readonly { server: number; hour: number }[],
): Cut {
  const done = { from: hours.from, to: Math.max(hours.from, Math.min(hours.to, progress.hour + 1)) }
  const whole = { from: Math.ceil(core.fromMs / HOUR_MS), to: Math.min(Math.floor(core.toMs / HOUR_MS), done.to) }
  const isFine = stepMs !== undefined && stepMs % HOUR_MS !== 0
  const days = wholeDays(whole, progress.day, late, stepMs)
  const inDays = { from: days.from * 24, to: days.to * 24 }
  const beside = isEmpty(inDays) ? [whole] : [between(whole.from, inDays.from), between(inDays.to, whole.to)]
  const edges = isEmpty(whole) ? [done] : [between(done.from, whole.from), between(whole.to, done.to)]
  const blocks = [...edges, ...(isFine ? beside : [])].filter((span) => !isEmpty(span))
  const headers = isFine ? [] : beside.filter((span) => !isEmpty(span))
  return { days, headers, blocks, late: late.filter(({ hour }) => hour < done.to), openFromMs: done.to * HOUR_MS }
}

const between = (from: number, to: number): store.HourSpan => ({ from, to })
const isEmpty = ({ from, to }: store.HourSpan): boolean => from >= to
const NO_DAYS: store.HourSpan = { from: 0, to: 0 }

/** Days without a late hour for any of the servers; steps finer than 5 minutes need the samples. */
function wholeDays(
  hours: store.HourSpan,
  doneDay: number,
  late: readonly { hour: number }[],
  stepMs: number | undefined,
): store.HourSpan {
  if (stepMs !== undefined && stepMs < FINEST_DAY_STEP_MS) return NO_DAYS
  const days = { from: Math.ceil(hours.from / 24), to: Math.min(Math.floor(hours.to / 24), doneDay + 1) }
  // Late samples come for the newest days nearly always: what lies before the first of them is taken.
  const firstLate = Math.min(...late.map(({ hour }) => hour).filter((hour) => hour >= days.from * 24))
  const until = Math.min(days.to, Math.floor(firstLate / 24))
  return days.from < until ? { from: days.from, to: until } : NO_DAYS
}
const FINEST_DAY_STEP_MS = 300_000

/** A series of finer steps than a day needs what stands in the days. */
const isFinerThanDays = ({ stepMs }: Reading): boolean => stepMs !== undefined && stepMs % DAY_MS !== 0

const readDays = (db: Db, reading: Reading, { days }: Cut) =>
  store.readDays(db, reading, days, reading.groups, isFinerThanDays(reading))

const readHeaders = (db: Db, reading: Reading, { headers }: Cut) => store.readHeaders(db, reading, headers)

type Rows<Read extends (...given: never[]) => Promise<unknown>> = Awaited<ReturnType<Read>>

function addDays(reading: Reading, days: Rows<typeof readDays>): void {
  const { groups, sinksOf } = reading
  const wanted = fieldIdsOf(groups)
  const isFine = isFinerThanDays(reading)
  for (const { server, day, header, data } of days) {
    const { summary, series } = sinksOf(server)
    for (const [id, totals] of decodeHeader(header, day * DAY_MS, wanted)) {
      summary?.addTotals(id, totals)
      if (!isFine) series?.addTotals(day * DAY_MS, id, totals)
    }
    if (series && data) readBuckets(day, data, wanted, (startMs, id, totals) => series.addTotals(startMs, id, totals))
  }
}

const nameOf = ({ server, hour }: { server: number; hour: number }): string => `${server}/${hour}`

function addHeaders(reading: Reading, { late }: Cut, headers: Rows<typeof readHeaders>): void {
  const wanted = fieldIdsOf(reading.groups)
  const isLate = new Set(late.map(nameOf))
  for (const { server, hour, header } of headers) {
    if (isLate.has(nameOf({ server, hour }))) continue
    const { summary, series } = reading.sinksOf(server)
    for (const [id, totals] of decodeHeader(header, hour * HOUR_MS, wanted)) {
      summary?.addTotals(id, totals)
      series?.addTotals(hour * HOUR_MS, id, totals)
    }
  }
}

/** The pieces that are read sample by sample. */
async function readOpen(db: Db, reading: Reading, { blocks, late, openFromMs }: Cut): Promise<Owned[]> {
  const { organization, servers, window } = reading
  const inBlocks = blocks.flatMap(({ from, to }) =>
    Array.from({ length: to - from }, (_, index) => from + index).flatMap((hour) => servers.map((server) => ({ server, hour }))),
  )
  const pairs = new Map([...inBlocks, ...late].map((pair) => [nameOf(pair), pair]))
  const open = { fromMs: Math.max(window.fromMs, openFromMs), toMs: window.toMs }
  const [compacted, lately, pushed] = await Promise.all([
    store.readHourPieces(db, organization, [...pairs.values()]),
    store.readLatePushes(db, organization, late),
    open.fromMs < open.toMs ? store.readPushes(db, reading, open) : [],
  ])
  return [
    ...compacted.map(({ server, hour, data }) => ({ server, ...toPiece(hour, data) })),
    ...lately,
    ...pushed.filter(({ t0Ms }) => t0Ms >= openFromMs),
  ]
}

type Owned = StoredPiece & { server: number }

/** Takes pieces in slices: a week of pushes is 10,000 of them, and others wait for the loop. */
async function addPieces({ window, groups, sinksOf }: Reading, pieces: readonly Owned[]): Promise<void> {
  const wanted = fieldIdsOf(groups)
  let taken = 0
  for (const [server, own] of Map.groupBy(pieces, (piece) => piece.server)) {
    const { summary, series } = sinksOf(server)
    const sinks = [summary, series].filter((sink) => sink !== undefined)
    const merger = new PieceMerger(window, sinks, wanted)
    for (const piece of own.sort((left, right) => left.t0Ms - right.t0Ms)) {
      taken += 1
      if (taken % PIECES_A_TURN === 0) await nextTurn()
      merger.add(piece)
    }
    merger.finish()
  }
}
