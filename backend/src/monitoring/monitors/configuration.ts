import { isDeepStrictEqual } from 'node:util'
import { checkKindSpec, CreateMonitorBody, sentTexts } from '@vedette/shared'
import { type Configuration, pickFields, type Spec, toConfigured } from '../../access/auth/index.ts'
import { encodeId } from '../../platform/ids.ts'
import { showDependencies } from '../dependencies/index.ts'
import { changeMonitors, NO_CHANGES } from './change.ts'
import { showMembers } from './composite.ts'
import { completeComposite, withoutCheckFields } from './composite-fields.ts'
import { type Definition, maskSecrets, withDefaults } from './definition.ts'
import type { MonitorDeps } from './deps.ts'
import { fixedOfHeartbeat, isHeartbeat } from './heartbeat.ts'
import { readableDefinition, seesRequest, SENT_FIELDS } from './read.ts'
import { readMonitors } from './store.ts'

/** As it is stored. What its schedule decides of a heartbeat stays while that does. Pure. */
function completeMonitor(spec: Spec, before: Spec | undefined, { region, clock }: MonitorDeps): Spec {
  const definition = withDefaults(spec as unknown as CreateMonitorBody, region)
  const stored = before as Definition | undefined
  const isSameType = stored?.type === definition.type
  if (!isHeartbeat(definition)) return { ...withoutCheckFields(definition) }
  const isSameSchedule = isSameType && isDeepStrictEqual(stored.options.schedule, definition.options.schedule)
  const { interval, timeout, regions, confirmations } = isSameSchedule
    ? stored
    : fixedOfHeartbeat(definition, region, clock.now())
  const url = isSameType && definition.url === 'heartbeat://' ? stored.url : definition.url
  return { ...definition, interval, timeout, regions, confirmations, url }
}

/** What is sent to the origin of a monitor. Pure. */
const secretsIn = ({ type, credentials, headers = {}, body, options }: Definition): string[] => [
  ...Object.keys(credentials).map((name) => `credentials.${name}`),
  ...Object.keys(headers).map((name) => `headers.${name}`),
  ...(typeof body === 'string' ? ['body'] : []),
  ...sentTexts(checkKindSpec(type), options).map(({ path }) => `options.${path}`),
]

/** Whether a monitor is paused is its state, and no part of it. */
export const monitorConfiguration: Configuration<MonitorDeps> = {
  kind: 'monitor',
  table: 'monitor',
  async read(deps, tenant, ids) {
    const rows = await readMonitors(deps.db, tenant.number, ids)
    const show = await showDependencies(
      deps.db,
      tenant.number,
      rows.map(({ depends_on: list }) => list),
    )
    const showOptions = await showMembers(
      deps.db,
      tenant.number,
      rows.map(({ options }) => options),
    )
    return rows.map((row) => {
      const { definition: stored, hasLostSecrets } = readableDefinition(deps, row)
      const definition = withoutCheckFields(stored)
      const spec = {
        ...definition,
        server_id: definition.server_id && encodeId('server', definition.server_id),
        depends_on: show(row.depends_on),
        options: showOptions(definition.options),
      }
      return toConfigured(row, pickFields(CreateMonitorBody, spec), hasLostSecrets ? SENT_FIELDS : [])
    })
  },
  complete: completeMonitor,
  keepOmitted: (spec, before) =>
    before.type === (spec.type ?? 'http') && before.credentials !== undefined
      ? { credentials: before.credentials, ...spec }
      : spec,
  mask: (spec, principal) => {
    const definition = completeComposite(spec as unknown as Definition)
    return { ...withoutCheckFields(maskSecrets(definition, seesRequest(principal))) }
  },
  async changeMany(deps, actor, { create, delete: remove }) {
    const rows = await changeMonitors(deps, actor, {
      ...NO_CHANGES,
      create: create.map(({ path, spec }) => ({ path, body: spec as unknown as CreateMonitorBody })),
      delete: remove.map((id) => ({ id, idPath: undefined })),
    })
    return rows.map(({ id }) => id)
  },
  secretsIn: (spec) => secretsIn(completeComposite(spec as unknown as Definition)),
}
