import type { Db, ReadSource } from '../../platform/db/index.ts'
import { nextTurn } from '../../platform/turn.ts'
import {
  fieldIdsOf,
  type Parts,
  PieceMerger,
  type Series,
  type StoredGroup,
  type StoredPiece,
  type Summary,
  type Window,
} from '../aggregate.ts'
import { ALL_STORED } from '../block/index.ts'
import { type Cut, cutHours, dayDetail, holds, partsOf } from './cut.ts'
import { addDayToSeries, addHalvesToSeries, DAY_MS } from './day.ts'
import { decodeHeader } from './header.ts'
import { takeHalves } from './halves.ts'
import { HOUR_MS, toPiece } from './hour.ts'
import { type Found, readStored } from './read-store.ts'
import { HALF_HOUR_MS, takeParts } from './parts.ts'
import * as store from './store.ts'
import { openHeader } from './tail.ts'

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
  /** Of the groups these fields alone; all of them where nothing is said. */
  fieldIds?: ReadonlySet<number>
  /** Step of the series, ms; undefined without one. */
  stepMs: number | undefined
  sinksOf(server: number): Sinks
  /** Asks in passing what is known of this server; `isAsKnown` says whether the reading may go on as it was meant. */
  server?: { id: string; isAsKnown(found: Pick<Found, 'server' | 'plan'>): boolean }
}

export interface SampleReader {
  /**
   * Hands every sample of the window to the sinks of its server, each once. False, and nothing was handed on, when the server is
   * not as known.
   */
  read(from: ReadSource, reading: Reading): Promise<boolean>
}

/** Pieces decoded between two looks at other requests: some 2 ms. */
const PIECES_A_TURN = 500

/**
 * Whole days and hours are read by what they add up to, steps of 5 minutes and more by the means of their days, edges and fine
 * steps by their samples, what is not put together yet by the pushes. An hour with late samples is read from its samples and its
 * pushes.
 *
 * How far the job has come is guessed from the reading before, and the statement tells whether that held: nearly always one way
 * to the database is all. Where it did not hold, or samples are late, what the statement told is what the second one goes by; what
 * the job does in between is then seen in both places or in one, and counted once.
 */
export function createSampleReader(): SampleReader {
  let guess: store.Progress = { hour: -1, day: -1 }

  async function read(from: ReadSource, reading: Reading): Promise<boolean> {
    const { window, core, stepMs, server } = reading
    const hours = { from: Math.floor(window.fromMs / HOUR_MS), to: Math.ceil(window.toMs / HOUR_MS) }
    const asked = { core, hours, stepMs }
    const guessed = cutHours(asked, guess, [])
    let found = await readCut(from, reading, hours, guessed)
    if (server && !server.isAsKnown(found)) return false
    guess = found.progress
    const cut = cutHours(asked, found.progress, found.late)
    let lately: Owned[] = []
    if (!isSame(cut, guessed))
      [found, lately] = await Promise.all([readCut(from, reading, hours, cut), readLate(from.db, reading, cut)])
    addDays(reading, cut, found)
    const pieces = addHours(reading, cut, found)
    const pushed = found.pushes.filter(({ t0Ms }) => t0Ms >= cut.openFromMs)
    await addPieces(reading, [...pieces, ...lately, ...pushed])
    return true
  }

  return { read }
}

const isSame = (one: Cut, other: Cut): boolean => JSON.stringify(one) === JSON.stringify(other)

function readCut(
  from: ReadSource,
  { organization, servers, groups, window, stepMs, server }: Reading,
  hours: store.HourSpan,
  cut: Cut,
) {
  const detail = dayDetail(stepMs)
  const open = { fromMs: Math.max(window.fromMs, cut.openFromMs), toMs: window.toMs }
  return readStored(from, {
    organization,
    servers,
    groups,
    hours,
    parts: partsOf(cut, stepMs),
    days: { ...(detail === 'totals' ? cut.days : cut.bucketDays), detail },
    open: open.fromMs < open.toMs ? open : undefined,
    serverId: server?.id,
  })
}

const wantedOf = ({ groups, fieldIds }: Reading): ReadonlySet<number> => fieldIds ?? fieldIdsOf(groups)

type Owned = StoredPiece & { server: number }

const nameOf = ({ server, hour }: { server: number; hour: number }): string => `${server}/${hour}`

/** The samples of hours to which some came late. */
async function readLate(db: Db, { organization }: Reading, { late }: Cut): Promise<Owned[]> {
  const [compacted, pushed] = await Promise.all([
    store.readHourPieces(db, organization, late),
    store.readLatePushes(db, organization, late),
  ])
  return [...compacted.map((row) => ({ server: row.server, ...toPiece(row) })), ...pushed]
}

function addDays(reading: Reading, cut: Cut, { days }: Found): void {
  const { sinksOf } = reading
  const wanted = wantedOf(reading)
  for (const { server, day, header, data, isHalves } of days) {
    const { summary, series } = sinksOf(server)
    if (holds(cut.days, day))
      for (const [id, totals] of decodeHeader(header, day * DAY_MS, wanted)) {
        summary?.addTotals(id, totals)
        if (!data) series?.addTotals(day * DAY_MS, id, totals)
      }
    if (!series || !data) continue
    const add = isHalves ? addHalvesToSeries : addDayToSeries
    add(day, { header, data }, wanted, series, spanOfDay(cut, day))
  }
}

/** Of a day that is not taken as a whole, the hours that are. */
function spanOfDay({ bucketHours, days }: Cut, day: number): Window {
  const whole = { fromMs: day * DAY_MS, toMs: (day + 1) * DAY_MS }
  if (holds(days, day)) return whole
  return { fromMs: Math.max(whole.fromMs, bucketHours.from * HOUR_MS), toMs: Math.min(whole.toMs, bucketHours.to * HOUR_MS) }
}

/** Adds what hours add up to; gives the samples of those that are read by them. */
function addHours(reading: Reading, cut: Cut, { hours }: Found): Owned[] {
  const { sinksOf } = reading
  const wanted = wantedOf(reading)
  const isLate = new Set(cut.late.map(nameOf))
  const pieces: Owned[] = []
  for (const { server, hour, header, data } of hours) {
    if (isLate.has(nameOf({ server, hour }))) continue
    const { summary, series } = sinksOf(server)
    if (data && cut.edges.some((span) => holds(span, hour))) {
      pieces.push({ server, ...toPiece({ hour, header, data }) })
    } else {
      for (const [id, totals] of decodeHeader(header, hour * HOUR_MS, wanted)) {
        summary?.addTotals(id, totals)
        if (!cut.isFine) series?.addTotals(hour * HOUR_MS, id, totals)
      }
      if (series && data) series.addPiece(toPiece({ hour, header, data }), wanted)
      else if (series && cut.isFine) addHalves(hour, header, wanted, series)
    }
  }
  return pieces
}

/** Nothing where the header was read without its half hours: then a day has them. */
function addHalves(hour: number, header: Buffer, wanted: ReadonlySet<number>, series: Series): void {
  const { halves, olderHalves } = openHeader(header)
  const add = (id: number, parts: Parts) => series.addParts(hour * HOUR_MS, HALF_HOUR_MS, id, parts)
  if (halves) takeHalves(halves, decodeHeader(header, hour * HOUR_MS, ALL_STORED), wanted, add)
  else if (olderHalves) takeParts(olderHalves, wanted, add)
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
      if (taken % PIECES_A_TURN === 0) await nextTurn()
      merger.add(piece)
    }
    merger.finish()
  }
}
