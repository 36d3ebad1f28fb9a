import { type CapacityForecast, DAY_MS, Ref, ServerForecast, ServerParams } from '@vedette/shared'
import { type RouteDeps, tenantOf } from '../../access/auth/index.ts'
import type { Reader } from '../../platform/db/index.ts'
import { notFound } from '../../platform/errors.ts'
import type { App } from '../../platform/http/index.ts'
import { decodeId, encodeId } from '../../platform/ids.ts'
import type { Clock } from '../../platform/time/clock.ts'
import { findServerNumber } from '../servers/index.ts'
import { forecast } from './fit.ts'
import { type Capacity, readCapacities } from './read.ts'

export function forecastRoutes(app: App, { reader, clock, principalOf }: RouteDeps & { reader: Reader; clock: Clock }): void {
  app.get(
    '/v1/servers/:id/forecast',
    {
      schema: {
        operationId: 'getServerForecast',
        summary: 'Get when the filesystems and the memory of a server are full',
        description:
          'A robust line (Theil–Sen) through the daily maxima of 14 to 60 days, with an interval, or why there is none. It says what ' +
          'happens if all goes on as it did.',
        tags: ['servers'],
        params: ServerParams,
        response: { 200: Ref(ServerForecast) },
      },
      config: { access: 'read' },
    },
    async (request) => {
      const { number: organization } = tenantOf(principalOf(request))
      const id = decodeId('server', request.params.id)
      return reader(async (from) => {
        const server = await findServerNumber(from.db, organization, id)
        if (server === undefined) throw notFound()
        const capacities = await readCapacities(from, { organization, server }, clock.now())
        const forecasts = capacities.map(toForecast)
        const soonest = (one: CapacityForecast) => one.days_until_full ?? Number.POSITIVE_INFINITY
        forecasts.sort((one, other) => soonest(one) - soonest(other) || (one.mount ?? '').localeCompare(other.mount ?? ''))
        return { server_id: encodeId('server', id), forecasts }
      })
    },
  )
}

function toForecast({ mount, days, hours }: Capacity): CapacityForecast {
  const found = forecast(days, hours)
  const isLine = typeof found === 'object'
  const rounded = (value: number) => Number(value.toPrecision(4))
  return {
    subject: mount === undefined ? 'memory' : 'filesystem',
    mount: mount ?? null,
    days_until_full: isLine ? rounded(found.days) : null,
    earliest_days: isLine ? rounded(found.earliest) : null,
    latest_days: isLine && found.latest !== null ? rounded(found.latest) : null,
    ...(!isLine && { silence: found }),
    percent_per_day: isLine ? rounded(found.slope) : null,
    days: days.map(({ day, percent }) => ({ date: new Date(day * DAY_MS).toISOString().slice(0, 10), percent })),
  }
}
