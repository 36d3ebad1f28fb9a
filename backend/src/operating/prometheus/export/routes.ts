import { OpenMetricsText, PrometheusQuery, PrometheusText, Ref } from '@vedette/shared'
import type { FastifyReply } from 'fastify'
import { type RouteDeps, tenantOf } from '../../../access/auth/index.ts'
import type { Reader } from '../../../platform/db/index.ts'
import { addVary, type App } from '../../../platform/http/index.ts'
import type { Clock } from '../../../platform/time/clock.ts'
import { onlineAfter, type Uptime } from '../../../hosts/servers/index.ts'
import { chooseFormat, CONTENT_TYPES } from './format.ts'
import { createHostExport } from './hosts.ts'
import { readMonitorExport } from './monitors.ts'

export interface PrometheusExportDeps extends RouteDeps {
  reader: Reader
  clock: Clock
  uptime: Uptime
  pushIntervalSeconds: number
}

const FORMATS =
  'Text format 0.0.4 or OpenMetrics 1.0.0, by `Accept`; there are no timestamps, and what is unknown is absent. Also accepts an API key as `Authorization: Bearer vdt_key_…`.'
const response = {
  200: {
    description: 'The format that `Accept` prefers; text where it names neither',
    content: {
      'text/plain; version=0.0.4': { schema: Ref(PrometheusText) },
      'application/openmetrics-text; version=1.0.0': { schema: Ref(OpenMetricsText) },
    },
  },
}
const config = { access: 'read', takesKeyAsBearer: true } as const

/** The newest samples and checks of an organization, for a Prometheus that scrapes them. */
export function prometheusExportRoutes(app: App, deps: PrometheusExportDeps): void {
  const { reader, clock, uptime, pushIntervalSeconds, principalOf } = deps
  const hosts = createHostExport()
  const requestOf = (request: { query: PrometheusQuery; headers: { accept?: string | undefined } }) => ({
    organization: tenantOf(principalOf(request)).number,
    tags: request.query.tag ?? [],
    format: chooseFormat(request.headers.accept),
    nowMs: clock.now(),
  })
  const send = (reply: FastifyReply, format: keyof typeof CONTENT_TYPES, text: string) => {
    addVary(reply, 'Accept')
    return reply.headers({ 'content-type': CONTENT_TYPES[format], 'cache-control': 'no-store' }).send(text)
  }

  app.get(
    '/v1/prometheus/hosts',
    {
      schema: {
        operationId: 'exportHosts',
        summary: 'Get the newest samples of all hosts for Prometheus',
        description: `Of hosts that are online, with their containers, units, sensors and the like. ${FORMATS}`,
        tags: ['servers'],
        querystring: PrometheusQuery,
        response,
      },
      config,
    },
    async (request, reply) => {
      const wanted = requestOf(request)
      const onlineAfterMs = onlineAfter(wanted.nowMs, uptime, pushIntervalSeconds)
      return send(reply, wanted.format, await reader((from) => hosts.read(from, { ...wanted, onlineAfterMs })))
    },
  )

  app.get(
    '/v1/prometheus/monitors',
    {
      schema: {
        operationId: 'exportMonitors',
        summary: 'Get the newest checks of all monitors for Prometheus',
        description: `Of monitors that are not paused, by region. ${FORMATS}`,
        tags: ['monitors'],
        querystring: PrometheusQuery,
        response,
      },
      config,
    },
    async (request, reply) => {
      const wanted = requestOf(request)
      return send(reply, wanted.format, await reader((from) => readMonitorExport(from, wanted)))
    },
  )
}
