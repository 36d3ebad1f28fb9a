import {
  HOUR_MS,
  MAX_NAME_LENGTH,
  type StatusPostDraft,
  type StatusPostDraftQuery,
  toTimestamp,
  truncateText,
} from '@vedette/shared'
import type { Tenant } from '../../../access/auth/index.ts'
import { invalid, notFound } from '../../../platform/errors.ts'
import { encodeId, parseId } from '../../../platform/ids.ts'
import type { PageModel } from '../reading/model.ts'
import { readPage } from '../reading/read.ts'
import { DRAFT_TEXTS, type DraftState } from '../render/draft-texts.ts'
import { formatsOf } from '../render/formats.ts'
import type { PostDeps } from './service.ts'
import { impactOf } from './state.ts'
import * as store from './store.ts'

interface Evidence {
  incidentId: string | null
  monitors: readonly string[]
  sinceMs: number
  isOver: boolean
}

/**
 * Proposes a post about an incident or a monitor, in words for visitors: public names of what is on the page, and nothing else of the
 * evidence. Throws not_found across organizations, validation_error.
 */
export async function draftPost(
  { db, clock }: PostDeps,
  tenant: Tenant,
  pageId: string,
  query: StatusPostDraftQuery,
): Promise<StatusPostDraft> {
  const nowMs = clock.now()
  const read = await readPage(db, tenant.number, pageId, nowMs)
  if (!read) throw notFound()
  const evidence = await readEvidence({ db, clock }, tenant, query)
  return draftOf(read.model, evidence, nowMs)
}

async function readEvidence({ db }: PostDeps, { number }: Tenant, query: StatusPostDraftQuery): Promise<Evidence> {
  const { incident, monitor } = query
  if ((incident === undefined) === (monitor === undefined))
    throw invalid({ path: 'incident', message: 'one of incident and monitor is required' })
  if (incident !== undefined) {
    const id = parseId('incident', incident)
    const row = id === undefined ? undefined : await store.findLinkedIncident(db, number, id)
    if (!row) throw invalid({ path: 'incident', message: 'is not an incident of this organization' })
    const monitors = await store.listMonitorsOf(db, number, row.id)
    return { incidentId: row.id, monitors, sinceMs: row.at.getTime(), isOver: row.resolved_at !== null }
  }
  const id = parseId('monitor', monitor as string)
  const since = id === undefined ? undefined : await store.findStatusStart(db, number, id)
  if (id === undefined || !since) throw invalid({ path: 'monitor', message: 'is not a monitor of this organization' })
  return { incidentId: null, monitors: [id], sinceMs: since.getTime(), isOver: false }
}

/** Names of components in one sentence. */
const MAX_NAMED = 3
/** Of today the hour is enough. */
const SAME_DAY_MS = 12 * HOUR_MS

function draftOf(model: PageModel, { incidentId, monitors, sinceMs, isOver }: Evidence, nowMs: number): StatusPostDraft {
  const ids = new Set(monitors.map((id) => encodeId('monitor', id)))
  const components = model.sections.flatMap((section) => section.components)
  // A page by tag may show a monitor twice.
  const affected = [...new Map(components.filter(({ id }) => ids.has(id)).map((component) => [component.id, component])).values()]
  const statuses = affected.map(({ status }) => status)
  const state: DraftState = isOver ? 'ended' : statuses.includes('down') ? 'down' : 'degraded'
  const formats = formatsOf(model)
  const since = nowMs - sinceMs < SAME_DAY_MS ? formats.hour(sinceMs) : formats.time(sinceMs)
  const texts = DRAFT_TEXTS[model.language]
  const named = affected.slice(0, MAX_NAMED).map(({ name }) => name)
  const others = affected.length - named.length
  const names = new Intl.ListFormat(model.language).format(others === 0 ? named : [...named, texts.others(others)])
  const all = components.map(({ status }) => status)
  const { title, text } = affected.length === 0 ? texts.unknown(since) : texts[state](names, affected.length > 1, since)
  return {
    type: 'incident',
    title: truncateText(title, MAX_NAME_LENGTH, '…'),
    text,
    status: isOver ? 'resolved' : 'investigating',
    impact: impactOf(statuses, all),
    monitors: affected.map(({ id }) => id),
    incident_id: incidentId && encodeId('incident', incidentId),
    starts_at: toTimestamp(sinceMs),
  }
}
