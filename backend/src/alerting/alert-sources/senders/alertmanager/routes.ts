import type { FastifyRequest } from 'fastify'
import type { Db } from '../../../../platform/db/index.ts'
import { type ApiError, invalid, notFound } from '../../../../platform/errors.ts'
import type { App } from '../../../../platform/http/index.ts'
import type { Clock } from '../../../../platform/time/clock.ts'
import { endSilence, listSilences, saveSilence, type SilenceChange } from '../../../alerts/index.ts'
import { listOpenAlerts, type ReceivingSource } from '../../store.ts'
import {
  actorAt,
  parsedBody,
  requireKnown,
  type SenderDeps,
  senderRoutes,
  takeJson,
  takeRequest,
  tokenOf,
} from '../sender-routes.ts'
import { groupAlerts, type GettableAlert, isListed, toGettableAlert, toStatus } from './alerts.ts'
import { isReceiver, parseFilters } from './matchers.ts'
import { OWN_PATHS } from '../../paths.ts'
import { hasMatchers, readSilence, stateOf, toGettableSilence } from './silences.ts'

export interface AlertmanagerDeps extends SenderDeps {
  db: Db
  clock: Clock
  version: string
}

const TYPE = 'alertmanager_api'
const PATH = `${OWN_PATHS.alertmanager_api}/:token/api/v2` as const
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** API v2 of Alertmanager: `path_prefix: /v1/in/alertmanager/<token>` for Prometheus, the address of an Alertmanager for its clients. */
export function alertmanagerRoutes(app: App, deps: AlertmanagerDeps): void {
  const { get: counted, post } = senderRoutes(deps, alertmanagerError)
  // Nagstamon and its like poll: counted by address, in the group `scrape`.
  const { onRequest: _admit, onSend: _count, ...own } = counted
  const get = { ...own, config: { ...own.config, countsItself: false } }
  const startedMs = deps.clock.now()
  const sourceOf = (request: FastifyRequest) => requireKnown(deps, request, deps.intake.find(tokenOf(request), TYPE))

  app.register(async (scope) => {
    takeJson(scope)
    scope.post(`${PATH}/alerts`, post, async (request, reply) => {
      const { faults } = await takeRequest(deps, request, { type: TYPE })
      // As Alertmanager: what can be read is stored all the same.
      if (faults.length > 0) throw invalid({ path: '', message: faults.join('; ') })
      return reply.code(200).send('')
    })
    scope.get(`${PATH}/alerts`, get, async (request) => listAlerts(deps, await sourceOf(request), request))
    scope.get(`${PATH}/alerts/groups`, get, async (request) => {
      const source = await sourceOf(request)
      return groupAlerts(source, await listAlerts(deps, source, request))
    })
    scope.get(`${PATH}/status`, get, async (request) => toStatus(await sourceOf(request), deps.version, startedMs))
    scope.get(`${PATH}/receivers`, get, async (request) => [{ name: (await sourceOf(request)).name }])
    scope.get(`${PATH}/silences`, get, async (request) => {
      const { organization, id } = await sourceOf(request)
      const wanted = parseFilters(textsOf(request.query, 'filter'))
      const all = await listSilences(deps.db, organization, id)
      return all.filter((one) => hasMatchers(one, wanted)).map((one) => toGettableSilence(one, deps.clock.now()))
    })
    scope.get(`${PATH}/silence/:id`, get, async (request) => {
      const { organization, id } = await sourceOf(request)
      const found = (await listSilences(deps.db, organization, id)).find((one) => one.id === silenceId(request))
      if (!found) throw notFound()
      return toGettableSilence(found, deps.clock.now())
    })
    scope.post(`${PATH}/silences`, post, async (request) => {
      const source = await sourceOf(request)
      const { id, columns } = readSilence(parsedBody(request).value, deps.clock.now())
      const silenceID = await saveSilence(deps.db, changeOf(deps, source, request), columns, id?.toLowerCase())
      if (silenceID === undefined) throw notFound()
      return { silenceID }
    })
    scope.delete(`${PATH}/silence/:id`, counted, async (request, reply) => {
      const source = await sourceOf(request)
      if (!(await endSilence(deps.db, changeOf(deps, source, request), silenceId(request)))) throw notFound()
      return reply.code(200).send('')
    })
  })
}

const changeOf = (
  { clock }: AlertmanagerDeps,
  { organization, id }: ReceivingSource,
  request: FastifyRequest,
): SilenceChange => ({
  organization,
  sourceId: id,
  actor: actorAt(request),
  at: new Date(clock.now()),
})

function silenceId(request: FastifyRequest): string {
  const { id } = request.params as { id: string }
  if (!UUID.test(id)) throw notFound()
  return id.toLowerCase()
}

async function listAlerts(
  { db, clock }: AlertmanagerDeps,
  source: ReceivingSource,
  request: FastifyRequest,
): Promise<GettableAlert[]> {
  const { organization, id, name } = source
  const filter = {
    active: switchOf(request.query, 'active'),
    silenced: switchOf(request.query, 'silenced'),
    inhibited: switchOf(request.query, 'inhibited'),
    matchers: parseFilters(textsOf(request.query, 'filter')),
  }
  // All alerts are processed; the parameter is checked and changes nothing.
  switchOf(request.query, 'unprocessed')
  if (!isReceiver(textsOf(request.query, 'receiver')[0], name)) return []
  const nowMs = clock.now()
  const silences = (await listSilences(db, organization, id)).filter(
    ({ starts_at: starts, ends_at: ends }) => stateOf(starts.getTime(), ends.getTime(), nowMs) === 'active',
  )
  const rows = await listOpenAlerts(db, organization, id, new Date(nowMs))
  return rows.map((row) => toGettableAlert(source, silences, row, nowMs)).filter((alert) => isListed(filter, alert))
}

function textsOf(query: unknown, name: string): string[] {
  const value = (query as Record<string, unknown>)[name]
  return [value ?? []].flat().filter((text) => typeof text === 'string')
}

function switchOf(query: unknown, name: string): boolean {
  const [text = 'true'] = textsOf(query, name)
  if (text !== 'true' && text !== 'false') throw invalid({ path: name, message: 'must be true or false' })
  return text === 'true'
}

/** A text, as by Alertmanager. */
const alertmanagerError = ({ status, message }: ApiError): { status: number; body: unknown } => ({ status, body: message })
