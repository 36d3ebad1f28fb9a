import { type Static, Type } from 'typebox'
import { IdOf } from '../wire/ids.ts'
import { Nullable, Ref } from '../wire/wire.ts'

/** Why there is no forecast. */
export const FORECAST_SILENCES = ['too_few_days', 'not_growing', 'no_line', 'too_far'] as const

export const ForecastSilence = Type.Enum([...FORECAST_SILENCES], {
  $id: 'ForecastSilence',
  description:
    'Why there is no forecast: fewer than 14 days, no growth, days that do not lie on a line (also after a clean-up), or full in over a year',
})

const Days = (description: string, example: number) => Nullable(Type.Number({ minimum: 0, description, examples: [example] }))

export const CapacityForecast = Type.Object(
  {
    subject: Type.Enum(['filesystem', 'memory'], { description: 'what fills' }),
    mount: Nullable(Type.String({ description: 'of a filesystem; null for memory', examples: ['/'] })),
    days_until_full: Days('from the last of the days on; null without a forecast', 17.2),
    earliest_days: Days('by the steepest line that the days allow with 95 % confidence', 15.9),
    latest_days: Days('by the flattest one; null: later than in a year, or without a forecast', 18.8),
    silence: Type.Optional(Ref(ForecastSilence)),
    percent_per_day: Nullable(Type.Number({ description: 'slope of the line', examples: [1.55] })),
    days: Type.Array(
      Type.Object({
        date: Type.String({ format: 'date', description: 'in UTC', examples: ['2026-11-21'] }),
        percent: Type.Number({ minimum: 0, maximum: 100, description: 'the greatest value of the day', examples: [73.1] }),
      }),
      { description: 'the last 60 days with samples, oldest first' },
    ),
  },
  { $id: 'CapacityForecast', description: 'When a filesystem or the memory of a server is full, if it goes on as it did' },
)
export type CapacityForecast = Static<typeof CapacityForecast>

export const ServerForecast = Type.Object(
  { server_id: IdOf('server'), forecasts: Type.Array(Ref(CapacityForecast), { description: 'the soonest first' }) },
  { $id: 'ServerForecast', description: 'When the filesystems and the memory of a server are full' },
)
export type ServerForecast = Static<typeof ServerForecast>
