import { DAY_MS, oldestReadableMs } from '@vedette/shared'
import { readWindowFigures, uptimePercent } from '../../monitoring/checks/index.ts'
import { readOpenIncidents } from '../../alerting/incidents/index.ts'
import { type Gauge, readGauges } from '../../hosts/metrics/index.ts'
import { findPlan } from '../../access/plans/index.ts'
import type { ReadSource } from '../../platform/db/index.ts'
import { encodeId } from '../../platform/ids.ts'
import * as store from './store.ts'

/** Entries of each list. */
const SHOWN = 5
/** Monitors or servers of one statement: some megabytes of rollups. */
const AT_ONCE = 500

export interface Ranked {
  id: string
  name: string
  value: number
}

/** What an organization's summary is made of; ids are those of the API. */
export interface WeekFigures {
  fromMs: number
  toMs: number
  monitors: number
  /** Of all checks; undefined without any. */
  uptimePercent: number | undefined
  /** Below 100 %, the worst first. */
  worst: Ranked[]
  /** By the 95th percentile of their response times, ms. */
  slowest: Ranked[]
  servers: number
  /** By their fullest filesystem at the end of the week, percent. */
  fullestDisks: Ranked[]
  /** By their mean memory usage, percent. */
  fullestMemory: Ranked[]
  incidents: store.WeekIncidents
  /** What is wrong with servers when the mail is made. */
  health: store.WeekFindings
  open: { total: number; incidents: readonly { id: string; summary: string }[] }
}

/** Undefined for an organization without monitors and servers. The plan's history cuts the week. */
export async function readWeek(
  from: ReadSource,
  organization: number,
  week: { fromMs: number; toMs: number },
  nowMs: number,
): Promise<WeekFigures | undefined> {
  const { db } = from
  const [monitors, servers] = [await store.listMonitors(db, organization), await store.listServers(db, organization)]
  if (monitors.length === 0 && servers.length === 0) return undefined
  const oldestMs = Math.ceil(oldestReadableMs(await findPlan(db, organization), nowMs) / DAY_MS) * DAY_MS
  const window = { fromMs: Math.min(Math.max(week.fromMs, oldestMs), week.toMs), toMs: week.toMs }
  const incidents = await store.readIncidents(db, organization, window, new Date(nowMs), SHOWN)
  const health = await store.readFindings(db, organization, SHOWN)
  const open = await readOpenIncidents(db, organization, SHOWN)
  return {
    ...window,
    ...(await readMonitors(from, organization, monitors, window)),
    ...(await readServers(from, organization, servers, window)),
    incidents: { ...incidents, longest: incidents.longest.map((one) => ({ ...one, id: encodeId('incident', one.id) })) },
    health: { ...health, servers: health.servers.map((one) => ({ ...one, id: encodeId('server', one.id) })) },
    open,
  }
}

async function readMonitors(
  { db }: ReadSource,
  organization: number,
  monitors: readonly store.NamedRow[],
  window: { fromMs: number; toMs: number },
) {
  const all = { checks: 0, failed: 0 }
  const [uptimes, times]: [Ranked[], Ranked[]] = [[], []]
  for (const part of partsOf(monitors)) {
    const figures = await readWindowFigures(db, organization, part.map(numberOf), window)
    for (const { id, name, number } of part) {
      const own = figures.get(number)
      if (!own) continue
      // The members of a composite are counted already.
      all.checks += own.isTime ? 0 : own.checks
      all.failed += own.isTime ? 0 : own.failed
      const named = { id: encodeId('monitor', id), name }
      if (own.failed > 0) uptimes.push({ ...named, value: uptimePercent(own) })
      if (own.p95ResponseMs !== null) times.push({ ...named, value: own.p95ResponseMs })
    }
  }
  return {
    monitors: monitors.length,
    uptimePercent: all.checks === 0 ? undefined : uptimePercent(all),
    worst: uptimes.sort((one, other) => one.value - other.value).slice(0, SHOWN),
    slowest: highest(times),
  }
}

async function readServers(
  from: ReadSource,
  organization: number,
  servers: readonly store.NamedRow[],
  window: { fromMs: number; toMs: number },
) {
  const [disks, memory]: [Ranked[], Ranked[]] = [[], []]
  for (const part of partsOf(servers)) {
    const set = { organization, servers: part.map(numberOf) }
    const gaugesOf = await readGauges(from, set, window, ['disk.usage_percent', 'memory.percent'])
    const rank = (metric: string, valueOf: (gauge: Gauge) => number): Ranked[] => {
      const gauges = gaugesOf(metric)
      return part.flatMap(({ id, name, number }) => {
        const gauge = gauges.get(number)
        return gauge ? [{ id: encodeId('server', id), name, value: valueOf(gauge) }] : []
      })
    }
    disks.push(...rank('disk.usage_percent', ({ newest }) => newest))
    memory.push(...rank('memory.percent', ({ mean }) => mean))
  }
  return { servers: servers.length, fullestDisks: highest(disks), fullestMemory: highest(memory) }
}

const numberOf = ({ number }: store.NamedRow): number => number
const highest = (all: Ranked[]): Ranked[] => all.sort((one, other) => other.value - one.value).slice(0, SHOWN)

function partsOf<T>(all: readonly T[]): T[][] {
  return Array.from({ length: Math.ceil(all.length / AT_ONCE) }, (_, part) => all.slice(part * AT_ONCE, (part + 1) * AT_ONCE))
}
