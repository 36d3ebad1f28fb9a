import type { MonitorDetails } from '@vedette/shared'
import { rulesOfMonitors } from '../../alerting/alerts/index.ts'
import { allows, type Principal, type Tenant, tenantOf } from '../../access/auth/index.ts'
import {
  type CheckRequest,
  decryptRequest,
  EMPTY_REQUEST,
  NO_CHECKS,
  readPeriodCounts,
  readRecentChecks,
  readScheduleSummaries,
  readStatuses,
} from '../checks/index.ts'
import { showDependencies } from '../dependencies/index.ts'
import type { Db } from '../../platform/db/index.ts'
import { ApiError, notFound } from '../../platform/errors.ts'
import { idleUntil } from './active-hours.ts'
import { readMemberStates, showMembers } from './composite.ts'
import { isComposite } from './composite-fields.ts'
import { type Definition, maskSecrets } from './definition.ts'
import type { MonitorDeps } from './deps.ts'
import { pingUrlOf, readNextPings } from './heartbeat.ts'
import * as store from './store.ts'
import { type Figures, toMonitorDetails } from './wire.ts'

const RECENT_CHECKS = 20

/**
 * The monitor with its newest checks and masked credentials; callers without permission to read and change it get masked header
 * values and a masked body. Throws not_found across organizations.
 */
export async function getMonitor(deps: MonitorDeps, principal: Principal, id: string): Promise<MonitorDetails> {
  const details = (await readDetails(deps, principal, [id])).get(id)
  if (!details) throw notFound()
  return details
}

/** As `getMonitor` for many monitors, by id; missing ones are absent. */
export async function readDetails(
  deps: MonitorDeps,
  principal: Principal,
  ids: readonly string[],
): Promise<Map<string, MonitorDetails>> {
  const tenant = tenantOf(principal)
  const rows = ids.length === 0 ? [] : await store.findMonitors(deps.db, tenant.number, ids)
  if (rows.length === 0) return new Map()
  const numbers = rows.map(({ number }) => number)
  const statuses = new Map((await readStatuses(deps.db, tenant.number, numbers)).map((status) => [status.monitor, status]))
  const figures = await readFigures(deps.db, tenant, numbers, deps.clock.now())
  const checks = Map.groupBy(await readRecentChecks(deps.db, tenant.number, numbers, RECENT_CHECKS), ({ monitor }) => monitor)
  const rules = await rulesOfMonitors(deps.db, tenant.number, rows)
  const nextPings = await readNextPings(deps.db, tenant.number, rows, deps.clock.now())
  const show = await showDependencies(
    deps.db,
    tenant.number,
    rows.map(({ depends_on }) => depends_on),
  )
  const showOptions = await showMembers(
    deps.db,
    tenant.number,
    rows.map(({ options }) => options),
  )
  const composites = await readMemberStates(deps.db, tenant.number, rows, new Date(deps.clock.now()))
  const details = rows.flatMap((row): [string, MonitorDetails][] => {
    const status = statuses.get(row.number)
    // Deleted between the two statements.
    if (!status) return []
    const recentChecks = checks.get(row.number) ?? []
    const alertRules = rules.get(row.id) ?? []
    const shown = shownDefinition(deps, principal, row)
    const dependsOn = show(row.depends_on)
    const nextPing = nextPings.get(row.number)
    const options = showOptions(shown.definition.options)
    const composite = composites.get(row.number)
    const own = { status, figures: figures(row.number), alertRules, recentChecks, dependsOn, options, composite }
    const idle = status.status === 'idle' ? idleUntil(row.active_hours, deps.clock.now()) : undefined
    const parts = { ...shown, ...own, nextPing, idle }
    return [[row.id, toMonitorDetails(row, parts)]]
  })
  return new Map(details)
}

/**
 * As `getMonitor` for one that this transaction created, which has no checks to read. The members of a composite and
 * active hours have decided already.
 */
export async function readNewDetails(deps: MonitorDeps, principal: Principal, row: store.MonitorRow): Promise<MonitorDetails> {
  if (isComposite(row) || row.active_hours.length > 0) return getMonitor(deps, principal, row.id)
  const { number: organization } = tenantOf(principal)
  const rules = await rulesOfMonitors(deps.db, organization, [row])
  const show = await showDependencies(deps.db, organization, [row.depends_on])
  const shown = shownDefinition(deps, principal, row)
  return toMonitorDetails(row, {
    ...shown,
    options: shown.definition.options,
    composite: undefined,
    idle: undefined,
    status: { status: 'up', since: row.created_at, flapping_since: null },
    figures: { counts: NO_CHECKS, lastCheckedAtMs: null, certificateExpiresAtMs: null },
    alertRules: rules.get(row.id) ?? [],
    nextPing: row.type === 'heartbeat' ? null : undefined,
    recentChecks: [],
    dependsOn: show(row.depends_on),
  })
}

function shownDefinition(deps: MonitorDeps, principal: Principal, row: store.MonitorRow) {
  const { definition } = readableDefinition(deps, row)
  return {
    definition: maskSecrets(definition, seesRequest(principal)),
    pingUrl: allows(principal, 'monitors:update') ? pingUrlOf(definition, deps.publicUrl()) : undefined,
  }
}

/** Whether the caller sees the headers and bodies of monitors: a key that may change them and not read does not. */
export const seesRequest = (principal: Principal): boolean => allows(principal, 'read') && allows(principal, 'monitors:update')

/** Statistics of monitors, with one statement for all. */
export async function readFigures(db: Db, tenant: Tenant, numbers: readonly number[], nowMs: number) {
  const counts = await readPeriodCounts(db, tenant.number, numbers, '7d', nowMs)
  const facts = new Map((await readScheduleSummaries(db, tenant.number, numbers)).map((fact) => [fact.monitor, fact]))
  return (number: number): Figures => ({
    counts: counts.get(number) ?? NO_CHECKS,
    lastCheckedAtMs: facts.get(number)?.last_checked_at ?? null,
    certificateExpiresAtMs: facts.get(number)?.certificate_expires_at ?? null,
  })
}

/** Fields whose values checks send, which are stored encrypted; options in part. */
export const SENT_FIELDS = ['credentials', 'headers', 'body', 'options'] as const

type Encrypting = Pick<MonitorDeps, 'encrypter'>

/** Without what its checks send where no configured secret decrypts that (`hasLostSecrets`): it has to be entered again. */
export function readableDefinition({ encrypter }: Encrypting, row: store.MonitorRow) {
  const request = decryptRequest(encrypter, row.id, row.request_encrypted)
  return { definition: toDefinition(row, request ?? EMPTY_REQUEST), hasLostSecrets: request === undefined }
}

/** What a change starts from. Throws unavailable where no configured secret decrypts what is sent, unless all of that is given again. */
export function definitionToChange(deps: Encrypting, row: store.MonitorRow, given: object): Definition {
  const { definition, hasLostSecrets } = readableDefinition(deps, row)
  const sent = SENT_FIELDS.filter((name) => row.method !== null || !(name === 'headers' || name === 'body'))
  if (hasLostSecrets && !sent.every((name) => Object.hasOwn(given, name)))
    throw new ApiError(
      'unavailable',
      `The secrets of ${row.name} cannot be decrypted: send ${sent.join(', ')} again, or delete it.`,
    )
  return definition
}

function toDefinition(row: store.MonitorRow, { credentials, options: sent, ...request }: CheckRequest): Definition {
  return {
    name: row.name,
    type: row.type,
    url: row.url,
    interval: row.interval_seconds,
    timeout: row.timeout_seconds,
    regions: row.regions,
    options: { ...row.options, ...sent },
    credentials,
    assertions: row.assertions,
    tags: row.tags,
    server_id: row.server_id,
    depends_on: row.depends_on,
    active_hours: row.active_hours,
    description: row.description,
    runbook_url: row.runbook_url,
    responsible: row.responsible,
    links: row.links,
    confirmations: row.confirmations,
    ...(row.method === null
      ? {}
      : { ...request, method: row.method, follow_redirects: row.follow_redirects ?? true, verify_tls: row.verify_tls ?? true }),
  }
}
