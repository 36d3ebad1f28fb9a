import { type AlertRulePreview, type CreateAlertRuleBody, type PreviewIncident, toTimestamp } from '@vedette/shared'
import { type Tenant } from '../../auth/index.ts'
import {
  createSampleReader,
  fieldIdOf,
  fullnessIdOf,
  readSlots,
  readSteps,
  type SampleReader,
  type StepValues,
} from '../../metrics/index.ts'
import type { Db, Reader, ReadSource } from '../../platform/db/index.ts'
import { encodeId } from '../../platform/ids.ts'
import { offlineAfterMs } from '../../servers/index.ts'
import type { AlertDeps } from '../deps.ts'
import type { RuleColumns } from '../rules/rule.ts'
import { proveRule } from '../rules/service.ts'
import { type Point, previewNumbers, previewSilence, previewStatuses, type WouldBe } from './preview.ts'
import * as store from './store.ts'

export interface PreviewDeps extends AlertDeps {
  /** For what lies back. */
  reader: Reader
  pushIntervalSeconds: number
}

const PERIOD_MS = 7 * 86_400_000
/** Samples of the past are kept as means and maxima of five minutes; response times are looked at like that as well. */
const STEP_MS = 300_000
/** Of what a rule speaks of: a preview is no report. */
const MOST_TARGETS = 50
const MOST_CHANGES = 20_000
const MOST_INCIDENTS = 500

interface Work {
  db: Db
  from: ReadSource
  samples: SampleReader
  organization: number
  rule: RuleColumns
  fromMs: number
  toMs: number
  pushIntervalSeconds: number
}

/** What a rule would have opened in the last seven days. Stores nothing. Throws validation_error. */
export async function previewRule(deps: PreviewDeps, tenant: Tenant, body: CreateAlertRuleBody): Promise<AlertRulePreview> {
  const { pushIntervalSeconds } = deps
  const rule = await proveRule(deps.db, tenant, body)
  const toMs = Math.floor(deps.clock.now() / STEP_MS) * STEP_MS
  const fromMs = toMs - PERIOD_MS
  const { listed, targets, found } = await deps.reader(async (from) => {
    const work = {
      db: from.db,
      from,
      samples: createSampleReader(),
      organization: tenant.number,
      rule,
      fromMs,
      toMs,
      pushIntervalSeconds,
    }
    const listed = await store.listTargets(from.db, tenant.number, rule, MOST_TARGETS + 1)
    const targets = listed.slice(0, MOST_TARGETS)
    return { listed, targets, found: targets.length === 0 ? new Map<number, WouldBe[]>() : await lookBack(work, targets) }
  })
  const all = targets.flatMap((target) => (found.get(target.number) ?? []).map((one) => toIncident(rule, target, one)))
  const incidents = all.sort((one, other) => (one.opened_at < other.opened_at ? 1 : -1))
  return {
    from: toTimestamp(fromMs),
    to: toTimestamp(toMs),
    step_seconds: rule.target_type === 'monitor' && rule.metric === 'status' ? null : STEP_MS / 1000,
    targets: targets.length,
    has_more_targets: listed.length > MOST_TARGETS,
    would_open: incidents.length,
    incidents: incidents.slice(0, MOST_INCIDENTS),
  }
}

const toIncident = (
  { target_type: type }: RuleColumns,
  { id, name }: store.PreviewTarget,
  { openedAtMs, resolvedAtMs }: WouldBe,
): PreviewIncident => ({
  target: { type, id: encodeId(type, id), name },
  opened_at: toTimestamp(openedAtMs),
  resolved_at: resolvedAtMs === null ? null : toTimestamp(resolvedAtMs),
})

function lookBack(work: Work, targets: readonly store.PreviewTarget[]): Promise<Map<number, WouldBe[]>> {
  const { target_type: type, metric } = work.rule
  if (type === 'server') return ofServers(work, targets)
  if (metric === 'status') return ofStatuses(work, targets)
  return metric === 'response_ms' ? ofResponses(work, targets) : Promise.resolve(ofCertificates(work, targets))
}

const numbersOf = (targets: readonly store.PreviewTarget[]): number[] => targets.map(({ number }) => number)

async function ofStatuses({ db, organization, rule, fromMs, toMs }: Work, targets: readonly store.PreviewTarget[]) {
  const rows = await store.readStatuses(db, organization, numbersOf(targets), new Date(fromMs), MOST_CHANGES)
  const byMonitor = Map.groupBy(rows, ({ monitor }) => monitor)
  return new Map(
    [...byMonitor].map(([monitor, own]) => {
      const steps = own.map(({ status, reason, at_ms: atMs }) => ({ status, reason, atMs }))
      return [monitor, previewStatuses(rule, steps, fromMs, toMs)]
    }),
  )
}

async function ofResponses({ db, organization, rule, fromMs, toMs }: Work, targets: readonly store.PreviewTarget[]) {
  const rows = await store.readResponseSteps(db, organization, numbersOf(targets), fromMs, toMs, STEP_MS)
  const byMonitor = Map.groupBy(rows, ({ monitor }) => monitor)
  return new Map(
    [...byMonitor].map(([monitor, own]) => {
      const byStep = new Map(own.map((row) => [row.step, row]))
      const points = stepsOf(fromMs, toMs).map((atMs): Point => {
        const row = byStep.get(atMs / STEP_MS)
        const extreme = rule.operator === 'less_than' ? row?.least_ms : row?.greatest_ms
        return { atMs, extreme: extreme ?? null, mean: row?.mean_ms ?? null }
      })
      return [monitor, previewNumbers(rule, points, STEP_MS)]
    }),
  )
}

/** By the certificates of now: what was shown before a renewal is not kept. */
function ofCertificates({ rule, fromMs, toMs }: Work, targets: readonly store.PreviewTarget[]): Map<number, WouldBe[]> {
  return new Map(
    targets.map(({ number, certificate_expires_at: endsMs }) => {
      const points = stepsOf(fromMs, toMs).map((atMs): Point => {
        const days = endsMs === null ? null : (endsMs - atMs) / 86_400_000
        return { atMs, extreme: days, mean: days }
      })
      return [number, previewNumbers({ ...rule, for_seconds: 0 }, points, STEP_MS)]
    }),
  )
}

async function ofServers(work: Work, targets: readonly store.PreviewTarget[]): Promise<Map<number, WouldBe[]>> {
  const { organization, rule, fromMs, toMs } = work
  const found = new Map<number, WouldBe[]>()
  for (const { number } of targets) {
    const fieldIds = await fieldsOf(work, number)
    const values = await readSteps(work, { organization, server: number }, { fromMs, toMs }, STEP_MS, groupOf(rule))
    const points = pointsOf(rule, values, fieldIds, fromMs, toMs)
    found.set(number, judged(work, points))
  }
  return found
}

function judged({ rule, pushIntervalSeconds }: Work, points: readonly Point[]): WouldBe[] {
  return rule.metric === 'status'
    ? previewSilence(rule, points, STEP_MS, offlineAfterMs(pushIntervalSeconds))
    : previewNumbers(rule, points, STEP_MS)
}

/** Where the numbers of a rule stand; that a server was there at all is told by its memory, which every host knows. */
const PRESENCE = 'memory.used_bytes'
const groupOf = ({ metric }: RuleColumns): string =>
  metric === 'filesystem.percent' ? 'mount' : ((metric === 'status' ? PRESENCE : metric).split('.')[0] as string)

async function fieldsOf({ db, organization, rule }: Work, server: number): Promise<number[]> {
  if (rule.metric !== 'filesystem.percent') return [fieldIdOf(rule.metric === 'status' ? PRESENCE : rule.metric) ?? 0]
  const slots = await readSlots(db, organization, server, 'mount')
  return slots.flatMap(({ slot, name }) => (rule.mount === null || rule.mount === name ? (fullnessIdOf(slot) ?? []) : []))
}

/** Of filesystems the fullest. Least values are not kept: for a rule that something is below, the mean of five minutes stands for it. */
function pointsOf(rule: RuleColumns, values: StepValues, fieldIds: readonly number[], fromMs: number, toMs: number): Point[] {
  const known = fieldIds.flatMap((id) => values.get(id) ?? [])
  const further = (all: readonly (number | null | undefined)[]) => {
    const numbers = all.filter((one) => typeof one === 'number')
    if (numbers.length === 0) return null
    return rule.operator === 'less_than' ? Math.min(...numbers) : Math.max(...numbers)
  }
  return stepsOf(fromMs, toMs).map((atMs, index): Point => {
    const mean = further(known.map(({ avg }) => avg[index]))
    const extreme = rule.operator === 'greater_than' ? further(known.map(({ max }) => max[index])) : mean
    return { atMs, extreme, mean }
  })
}

const stepsOf = (fromMs: number, toMs: number): number[] =>
  Array.from({ length: (toMs - fromMs) / STEP_MS }, (_, index) => fromMs + index * STEP_MS)
