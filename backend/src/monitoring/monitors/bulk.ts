import { type BulkMonitorsAnswer, type BulkMonitorsBody, MAX_BULK, type MonitorDetails, type Permission } from '@vedette/shared'
import type { Actor } from '../../access/audit/index.ts'
import { allows, type Principal } from '../../access/auth/index.ts'
import { forbidden, invalid } from '../../platform/errors.ts'
import { encodeId, parseId } from '../../platform/ids.ts'
import { type Changes, changeMonitors } from './change.ts'
import type { MonitorDeps } from './deps.ts'
import { readDetails } from './read.ts'

const PARTS = {
  create: 'monitors:create',
  update: 'monitors:update',
  delete: 'monitors:delete',
  pause: 'monitors:update',
  resume: 'monitors:update',
  restore: 'monitors:delete',
} as const satisfies Record<keyof BulkMonitorsBody, Permission>

/** Refuses a body with a part that the caller has no permission for, before the body is validated. Throws forbidden. */
export function authorizeParts(principal: Principal, body: unknown): void {
  if (typeof body !== 'object' || body === null) return
  for (const [part, permission] of Object.entries(PARTS)) {
    const given = (body as Record<string, unknown>)[part]
    const isEmpty = given === undefined || (Array.isArray(given) && given.length === 0)
    if (!isEmpty && !allows(principal, permission)) throw forbidden(`These credentials may not ${part} monitors.`)
  }
}

/** Creates, changes, deletes, pauses, resumes and restores monitors, all or none. Throws validation_error with the path, plan_limit_reached. */
export async function bulkMonitors(
  deps: MonitorDeps,
  actor: Actor<Principal>,
  body: BulkMonitorsBody,
): Promise<BulkMonitorsAnswer> {
  const changes = parseBulk(body)
  const created = (await changeMonitors(deps, actor, changes)).map(({ id }) => id)
  const idsOf = (named: readonly { id: string | undefined }[]) => named.map(({ id }) => id as string)
  const updated = idsOf(changes.update)
  const [paused, resumed, restored] = [idsOf(changes.pause), idsOf(changes.resume), idsOf(changes.restore)]
  const details = await readDetails(deps, actor.principal, [...created, ...updated, ...paused, ...resumed, ...restored])
  const withMonitor = (action: Exclude<keyof BulkMonitorsBody, 'delete'>) => (id: string) => ({
    action,
    id: encodeId('monitor', id),
    monitor: details.get(id) as MonitorDetails,
  })
  const deleted = changes.delete.map(({ id }) => ({ action: 'delete' as const, id: encodeId('monitor', id as string) }))
  return {
    results: [
      ...created.map(withMonitor('create')),
      ...updated.map(withMonitor('update')),
      ...deleted,
      ...paused.map(withMonitor('pause')),
      ...resumed.map(withMonitor('resume')),
      ...restored.map(withMonitor('restore')),
    ],
  }
}

function parseBulk(body: BulkMonitorsBody): Changes {
  const { create = [], update = [], delete: remove = [], pause = [], resume = [], restore = [] } = body
  if ([create, update, remove, pause, resume, restore].flat().length > MAX_BULK) {
    const message = `create, update, delete, pause, resume and restore may have at most ${MAX_BULK} entries together`
    throw invalid({ path: '', message })
  }
  return {
    create: create.map((body, index) => ({ path: `create.${index}.`, body })),
    update: update.map(({ id, ...body }, index) => {
      return { path: `update.${index}.`, body, id: parseId('monitor', id), idPath: `update.${index}.id` }
    }),
    delete: referencesIn('delete', remove),
    pause: referencesIn('pause', pause),
    resume: referencesIn('resume', resume),
    restore: referencesIn('restore', restore),
  }
}

const referencesIn = (part: string, ids: readonly string[]) =>
  ids.map((id, index) => ({ id: parseId('monitor', id), idPath: `${part}.${index}` }))
