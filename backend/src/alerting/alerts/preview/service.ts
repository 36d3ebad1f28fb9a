import {
  CERTIFICATE_DAYS,
  type AlertRulePreview,
  capacityMetric,
  type CreateAlertRuleBody,
  DAY_MS,
  entityMetric,
  type HealthCode,
  healthMetric,
  type HostCertificateMetric,
  isCertificateMetric,
  isHostCertificateMetric,
  isHostState,
  type PreviewIncident,
  toTimestamp,
} from '@vedette/shared'
import { type Tenant } from '../../../access/auth/index.ts'
import { readSeriesOf } from '../../../hosts/entities/index.ts'
import { FORECAST_DAYS, readCapacities } from '../../../hosts/forecast/index.ts'
import { fileFindingOf, readSeenInFiles } from '../../../monitoring/certificates/index.ts'
import { certificateValue, readCertificateFindings } from '../evaluation/certificate-rules.ts'
import { daysUntilFull, soonest } from '../evaluation/forecast-rules.ts'
import {
  createSampleReader,
  fieldIdOf,
  fullnessIdOf,
  readSlots,
  readSteps,
  type SampleReader,
  type StepValues,
} from '../../../hosts/metrics/index.ts'
import type { Clock } from '../../../platform/time/clock.ts'
import type { Db, Reader, ReadSource } from '../../../platform/db/index.ts'
import { encodeId } from '../../../platform/ids.ts'
import { offlineAfterMs } from '../../../hosts/servers/index.ts'
import type { RuleColumns } from '../rules/rule.ts'
import { validateRule } from '../rules/service.ts'
import type { QuerySeries } from '../series/answer.ts'
import {
  joinIncidents,
  previewHeld,
  previewFindings,
  previewHostState,
  type PreviewPoint,
  previewNumbers,
  previewOffline,
  previewStatuses,
  type PreviewedIncident,
} from './preview.ts'
import { previewExpression } from './series.ts'
import * as store from './store.ts'

export interface PreviewDeps {
  db: Db
  clock: Clock
  /** For stored history. */
  reader: Reader
  pushIntervalSeconds: number
  querySeries: QuerySeries
  ending: AbortSignal
}

const PERIOD_MS = 7 * DAY_MS
/** Forecasts change by a day. */
const FORECAST_PERIOD_DAYS = 30
/** Stored samples are means and maxima of five minutes; response times are previewed in the same steps. */
const STEP_MS = 300_000
/** Targets of one preview. */
const MAX_TARGETS = 50
const MAX_CHANGES = 20_000
const MAX_INCIDENTS = 500

interface PreviewContext {
  db: Db
  from: ReadSource
  samples: SampleReader
  organization: number
  rule: RuleColumns
  fromMs: number
  toMs: number
  pushIntervalSeconds: number
}

/** The incidents that a rule would have opened in the last seven days. Stores nothing. Throws validation_error. */
export async function previewRule(deps: PreviewDeps, tenant: Tenant, body: CreateAlertRuleBody): Promise<AlertRulePreview> {
  const { pushIntervalSeconds } = deps
  const rule = await validateRule(deps.db, tenant, body)
  if (rule.target_type === 'series')
    return previewExpression(deps, tenant.number, rule, { nowMs: deps.clock.now(), spanMs: PERIOD_MS })
  const { target_type: type } = rule
  const isForecast = capacityMetric(rule.metric) !== undefined
  const stepMs = isForecast ? DAY_MS : STEP_MS
  const toMs = Math.floor(deps.clock.now() / stepMs) * stepMs
  const fromMs = toMs - (isForecast ? FORECAST_PERIOD_DAYS * DAY_MS : PERIOD_MS)
  const { candidates, targets, byTarget } = await deps.reader(async (from) => {
    const context = {
      db: from.db,
      from,
      samples: createSampleReader(),
      organization: tenant.number,
      rule,
      fromMs,
      toMs,
      pushIntervalSeconds,
    }
    const candidates = await store.listPreviewTargets(from.db, tenant.number, { ...rule, target_type: type }, MAX_TARGETS + 1)
    const targets = candidates.slice(0, MAX_TARGETS)
    return {
      candidates,
      targets,
      byTarget: targets.length === 0 ? new Map<number, PreviewedIncident[]>() : await evaluateHistory(context, targets),
    }
  })
  const all = targets.flatMap((target) => (byTarget.get(target.number) ?? []).map((one) => toIncident(rule, target, one)))
  const incidents = all.sort((one, other) => (one.opened_at < other.opened_at ? 1 : -1))
  return {
    from: toTimestamp(fromMs),
    to: toTimestamp(toMs),
    step_seconds: rule.target_type === 'monitor' && rule.metric === 'status' ? null : stepMs / 1000,
    targets: targets.length,
    has_more_targets: candidates.length > MAX_TARGETS,
    would_open: incidents.length,
    incidents: incidents.slice(0, MAX_INCIDENTS),
  }
}

const toIncident = (
  { target_type: type }: RuleColumns,
  { id, name }: store.PreviewTarget,
  { openedAtMs, resolvedAtMs }: PreviewedIncident,
): PreviewIncident => ({
  target: { type, id: encodeId(type, id), name },
  opened_at: toTimestamp(openedAtMs),
  resolved_at: resolvedAtMs === null ? null : toTimestamp(resolvedAtMs),
})

function evaluateHistory(
  context: PreviewContext,
  targets: readonly store.PreviewTarget[],
): Promise<Map<number, PreviewedIncident[]>> {
  const { target_type: type, metric } = context.rule
  if (entityMetric(metric)) return previewEntities(context, targets)
  if (capacityMetric(metric)) return previewForecasts(context, targets)
  const code = healthMetric(metric)
  if (code) return previewHealth(context, targets, code)
  if (type === 'server' && isHostCertificateMetric(metric)) return previewFiles(context, targets, metric)
  if (type === 'server') return previewServers(context, targets)
  if (metric === 'status') return previewMonitorStatuses(context, targets)
  // What was seen before is not stored.
  if (isCertificateMetric(metric)) return previewSeenCertificates(context, targets)
  return metric === 'certificate_days' ? Promise.resolve(previewCertificates(context, targets)) : previewFigures(context, targets)
}

const numbersOf = (targets: readonly store.PreviewTarget[]): number[] => targets.map(({ number }) => number)

async function previewMonitorStatuses(
  { db, organization, rule, fromMs, toMs }: PreviewContext,
  targets: readonly store.PreviewTarget[],
) {
  const rows = await store.readStatuses(db, organization, numbersOf(targets), new Date(fromMs), MAX_CHANGES)
  const byMonitor = Map.groupBy(rows, ({ monitor }) => monitor)
  return new Map(
    [...byMonitor].map(([monitor, own]) => {
      const steps = own.map(({ status, reason, at_ms: atMs }) => ({ status, reason, atMs }))
      return [monitor, previewStatuses(rule, steps, fromMs, toMs)]
    }),
  )
}

async function previewFigures({ db, organization, rule, fromMs, toMs }: PreviewContext, targets: readonly store.PreviewTarget[]) {
  const rows = await store.readFigureSteps(db, organization, numbersOf(targets), rule.metric, fromMs, toMs, STEP_MS)
  const byMonitor = Map.groupBy(rows, ({ monitor }) => monitor)
  return new Map(
    [...byMonitor].map(([monitor, own]) => {
      const byStep = new Map(own.map((row) => [row.step, row]))
      const points = stepsOf(fromMs, toMs).map((atMs): PreviewPoint => {
        const row = byStep.get(atMs / STEP_MS)
        const extreme = rule.operator === 'less_than' ? row?.least : row?.greatest
        return { atMs, extreme: extreme ?? null, mean: row?.mean ?? null }
      })
      return [monitor, previewNumbers(rule, points, STEP_MS)]
    }),
  )
}

/** From the current certificates: those before a renewal are not stored. */
function previewCertificates(
  { rule, fromMs, toMs }: PreviewContext,
  targets: readonly store.PreviewTarget[],
): Map<number, PreviewedIncident[]> {
  return new Map(
    targets.map(({ number, certificate_expires_at: endsMs }) => {
      const points = stepsOf(fromMs, toMs).map((atMs): PreviewPoint => {
        const days = endsMs === null ? null : (endsMs - atMs) / DAY_MS
        return { atMs, extreme: days, mean: days }
      })
      return [number, previewNumbers({ ...rule, for_seconds: 0 }, points, STEP_MS)]
    }),
  )
}

/** From what is seen now. */
async function previewSeenCertificates(
  { db, organization, rule, fromMs, toMs }: PreviewContext,
  targets: readonly store.PreviewTarget[],
): Promise<Map<number, PreviewedIncident[]>> {
  const monitors = targets.map(({ number }) => ({ monitor: { organization, monitor: number }, rule }))
  const seen = await readCertificateFindings(db, monitors, toMs)
  return new Map(
    targets.map(({ number }) => [number, previewNow(rule, certificateValue(rule.metric, seen.get(number)), { fromMs, toMs })]),
  )
}

/** From what the files of hosts have now. */
async function previewFiles(
  { db, organization, rule, fromMs, toMs }: PreviewContext,
  targets: readonly store.PreviewTarget[],
  metric: HostCertificateMetric,
): Promise<Map<number, PreviewedIncident[]>> {
  const rows = await readSeenInFiles(
    db,
    targets.map(({ id }) => ({ organization, serverId: id })),
  )
  const files = Map.groupBy(rows, ({ serverId }) => serverId)
  return new Map(
    targets.map(({ id, number }) => {
      const value = fileFindingOf(metric, files.get(id) ?? [], toMs)?.value
      return [number, previewNow(rule, value, { fromMs, toMs })]
    }),
  )
}

/** What was seen before is not stored: only the days that were left then follow from those that are left now. */
function previewNow(rule: RuleColumns, value: number | undefined, { fromMs, toMs }: { fromMs: number; toMs: number }) {
  const points = stepsOf(fromMs, toMs).map((atMs): PreviewPoint => {
    const then = value === undefined || rule.metric !== CERTIFICATE_DAYS ? value : value + (toMs - atMs) / DAY_MS
    return { atMs, extreme: then ?? null, mean: then ?? null }
  })
  return previewNumbers({ ...rule, for_seconds: 0 }, points, STEP_MS)
}

async function previewHealth(
  { db, organization, rule, fromMs, toMs }: PreviewContext,
  targets: readonly store.PreviewTarget[],
  code: HealthCode,
) {
  const ids = targets.map(({ id }) => id)
  const current = new Map((await store.readFound(db, organization, ids, code)).map((row) => [row.id, row.since_ms]))
  const events = await store.readHealthEvents(
    db,
    organization,
    ids.map((id) => encodeId('server', id)),
    new Date(fromMs),
    MAX_CHANGES,
  )
  const byServer = Map.groupBy(events, ({ server_id }) => server_id)
  return new Map(
    targets.map(({ id, number }) => {
      const changes = (byServer.get(encodeId('server', id)) ?? []).map(({ at, codes, former }) => ({
        atMs: at.getTime(),
        isFound: codes.includes(code),
        wasFound: former.includes(code),
      }))
      return [number, previewFindings(rule, changes, current.get(id), fromMs, toMs)]
    }),
  )
}

/** On each day the forecast that the days until then gave. */
async function previewForecasts(
  { from, organization, rule, fromMs, toMs }: PreviewContext,
  targets: readonly store.PreviewTarget[],
): Promise<Map<number, PreviewedIncident[]>> {
  const byTarget = new Map<number, PreviewedIncident[]>()
  const [first, last] = [fromMs / DAY_MS, toMs / DAY_MS]
  for (const { number: server } of targets) {
    const all = await readCapacities(from, { organization, server }, toMs - 1, FORECAST_DAYS.most + FORECAST_PERIOD_DAYS)
    const points = Array.from({ length: last - first }, (_, index): PreviewPoint => {
      const day = first + index
      const until = all.map(({ mount, days }) => ({
        mount,
        days: days.filter((one) => one.day <= day && one.day > day - FORECAST_DAYS.most),
        // Of a day alone: what would have been said within hours is not previewed.
        hours: [],
      }))
      const found = soonest(rule, until.flatMap(daysUntilFull))?.days ?? null
      return { atMs: day * DAY_MS, extreme: found, mean: found }
    })
    byTarget.set(server, previewHeld({ ...rule, for_seconds: 0 }, points, DAY_MS))
  }
  return byTarget
}

/** Entities of one server that a preview reads: those that were seen last. */
const MAX_ENTITIES = 100

async function previewEntities(
  { db, organization, rule, fromMs, toMs }: PreviewContext,
  targets: readonly store.PreviewTarget[],
): Promise<Map<number, PreviewedIncident[]>> {
  const { kind, field } = entityMetric(rule.metric) ?? {}
  const byTarget = new Map<number, PreviewedIncident[]>()
  if (!kind || field === undefined) return byTarget
  for (const { number: server } of targets) {
    const query = { organization, server, kind, pattern: rule.entity_name, limit: MAX_ENTITIES }
    const all = await readSeriesOf(db, query, field, { fromMs, toMs, stepMs: STEP_MS })
    const incidents = all.flatMap((series) => previewHeld(rule, toPoints(rule, series, fromMs), STEP_MS))
    byTarget.set(server, joinIncidents(incidents))
  }
  return byTarget
}

/** Minima are not stored: rules with `less_than` use the mean of five minutes. */
const toPoints = (
  { operator }: RuleColumns,
  { avg, max }: { avg: (number | null)[]; max: (number | null)[] },
  fromMs: number,
): PreviewPoint[] =>
  avg.map((mean, index) => ({
    atMs: fromMs + index * STEP_MS,
    extreme: operator === 'greater_than' ? (max[index] ?? null) : mean,
    mean,
  }))

async function previewServers(
  context: PreviewContext,
  targets: readonly store.PreviewTarget[],
): Promise<Map<number, PreviewedIncident[]>> {
  const { organization, rule, fromMs, toMs } = context
  const byTarget = new Map<number, PreviewedIncident[]>()
  for (const { number } of targets) {
    const fieldIds = await fieldsOf(context, number)
    const values = await readSteps(context, { organization, server: number }, { fromMs, toMs }, STEP_MS, groupOf(rule))
    const points = pointsOf(rule, values, fieldIds, fromMs, toMs)
    byTarget.set(number, previewServer(context, points))
  }
  return byTarget
}

function previewServer({ rule, pushIntervalSeconds }: PreviewContext, points: readonly PreviewPoint[]): PreviewedIncident[] {
  if (rule.metric === 'status') return previewOffline(rule, points, STEP_MS, offlineAfterMs(pushIntervalSeconds))
  return isHostState(rule.metric) ? previewHostState(rule, points, STEP_MS) : previewNumbers(rule, points, STEP_MS)
}

/** A metric that every host sends, which shows whether the server was online. */
const PRESENCE = 'memory.used_bytes'
const groupOf = ({ metric }: RuleColumns): string =>
  metric === 'filesystem.percent' ? 'mount' : ((metric === 'status' ? PRESENCE : metric).split('.')[0] as string)

async function fieldsOf({ db, organization, rule }: PreviewContext, server: number): Promise<number[]> {
  if (rule.metric !== 'filesystem.percent') return [fieldIdOf(rule.metric === 'status' ? PRESENCE : rule.metric) ?? 0]
  const slots = await readSlots(db, organization, server, 'mount')
  return slots.flatMap(({ slot, name }) => (rule.mount === null || rule.mount === name ? (fullnessIdOf(slot) ?? []) : []))
}

/** The fullest of several filesystems. Minima are not stored: rules with `less_than` use the mean of five minutes. */
function pointsOf(
  rule: RuleColumns,
  values: StepValues,
  fieldIds: readonly number[],
  fromMs: number,
  toMs: number,
): PreviewPoint[] {
  const series = fieldIds.flatMap((id) => values.get(id) ?? [])
  const further = (all: readonly (number | null | undefined)[]) => {
    const numbers = all.filter((one) => typeof one === 'number')
    if (numbers.length === 0) return null
    return rule.operator === 'less_than' ? Math.min(...numbers) : Math.max(...numbers)
  }
  return stepsOf(fromMs, toMs).map((atMs, index): PreviewPoint => {
    const mean = further(series.map(({ avg }) => avg[index]))
    const extreme = rule.operator === 'greater_than' ? further(series.map(({ max }) => max[index])) : mean
    return { atMs, extreme, mean }
  })
}

const stepsOf = (fromMs: number, toMs: number): number[] =>
  Array.from({ length: (toMs - fromMs) / STEP_MS }, (_, index) => fromMs + index * STEP_MS)
