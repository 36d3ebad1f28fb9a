import { type Static, type TSchema, Type } from 'typebox'
import { IdOf } from '../ids.ts'
import { Nullable, Timestamp } from '../wire.ts'
import { byGroup, METRIC_FIELDS, METRIC_GROUPS, type MetricField, type MetricGroup, UNIT_DECIMALS } from './fields.ts'
import { METRIC_PERIODS, type MetricPeriod } from './periods.ts'

const isWhole = (field: MetricField): boolean => field.whole === true || UNIT_DECIMALS[field.unit] === 0
const valueOf = (field: MetricField): TSchema => Nullable(isWhole(field) ? Type.Integer() : Type.Number())

function fieldsOf(group: MetricGroup): Record<string, TSchema> {
  return Object.fromEntries(
    Object.entries(METRIC_FIELDS[group] as Record<string, MetricField>).map(([name, field]) => [name, valueOf(field)]),
  )
}

/** `cpu` tells its busy share as newest, mean and maximum; `percent` itself is not in the answer. */
const { percent: _percent, ...cpuFields } = fieldsOf('cpu')
const percent = () => Nullable(Type.Number({ minimum: 0, maximum: 100 }))

/** Gauges: the newest value of each field in the period; rates: the mean over it. Null where the host cannot give it. */
export const MetricGroups = Type.Object(
  {
    cpu: Type.Optional(Type.Object({ current_percent: percent(), avg_percent: percent(), max_percent: percent(), ...cpuFields })),
    memory: Type.Optional(Type.Object({ ...fieldsOf('memory'), avg_percent: percent(), max_percent: percent() })),
    disk: Type.Optional(Type.Object(fieldsOf('disk'))),
    network: Type.Optional(Type.Object(fieldsOf('network'))),
    tcp: Type.Optional(Type.Object(fieldsOf('tcp'))),
  },
  { description: 'A group that has no sample in the period is absent.' },
)

const SeriesField = Type.Object({
  avg: Type.Array(Nullable(Type.Number())),
  max: Type.Array(Nullable(Type.Number())),
})
const seriesGroup = (group: MetricGroup) =>
  Type.Optional(
    Type.Object(Object.fromEntries(Object.keys(METRIC_FIELDS[group]).map((name) => [name, Type.Optional(SeriesField)]))),
  )

/** Means and maxima per step over the whole period; gaps are null; the first step begins at `from`, a multiple of the step. */
export const MetricSeries = Type.Object({
  step_seconds: Type.Integer(),
  from: Timestamp,
  points: Type.Integer({ minimum: 1 }),
  ...byGroup(seriesGroup),
})

export const ServerMetrics = Type.Object(
  {
    server_id: IdOf('server'),
    period: Type.String({ description: 'as asked; of a range its first and last instant: `<from>/<to>`' }),
    metrics: MetricGroups,
    series: Type.Optional(MetricSeries),
  },
  { $id: 'ServerMetrics' },
)
export type ServerMetrics = Static<typeof ServerMetrics>

/** The newest sample of a server, with all its groups; absent groups and null fields are what the host could not give. */
export const MetricSnapshot = Type.Object(
  {
    sampled_at: Timestamp,
    ...byGroup((group) => Type.Optional(Type.Object(fieldsOf(group)))),
  },
  { $id: 'MetricSnapshot' },
)

/** Either `period`, or `from` and `to` (at most 400 days). */
export const MetricsQuery = Type.Object(
  {
    period: Type.Optional(Type.Enum(Object.keys(METRIC_PERIODS) as MetricPeriod[], { description: 'default 1h' })),
    from: Type.Optional(Timestamp),
    to: Type.Optional(Timestamp),
    metrics: Type.Optional(
      Type.String({
        maxLength: 64,
        pattern: `^(${METRIC_GROUPS.join('|')})(,(${METRIC_GROUPS.join('|')}))*$`,
        description: `comma-separated list of ${METRIC_GROUPS.join(', ')}; all of them when omitted`,
      }),
    ),
    points: Type.Optional(Type.Integer({ minimum: 10, maximum: 1_000, description: 'adds `series` of at most so many points' })),
  },
  { additionalProperties: false },
)
