import { type Static, Type } from 'typebox'
import { IdOf } from '../ids.ts'
import { Nullable, Timestamp } from '../wire.ts'
import { METRIC_GROUPS, type MetricField, UNIT_DECIMALS } from './fields.ts'
import { fieldsOf, groupsOf } from './groups.ts'
import { METRIC_PERIODS, type MetricPeriod } from './periods.ts'

const isWhole = (field: MetricField): boolean => field.whole === true || UNIT_DECIMALS[field.unit] === 0
const valueOf = (field: MetricField) => Nullable(isWhole(field) ? Type.Integer() : Type.Number())

/** `cpu` tells its busy share as newest, mean and maximum; `percent` itself is not in the answer. */
const { percent: _percent, ...cpuFields } = fieldsOf('cpu', valueOf)
const percent = () => Nullable(Type.Number({ minimum: 0, maximum: 100 }))

/** Gauges: the newest value of each field in the period; rates: the mean over it. Null where the host cannot give it. */
export const MetricGroups = Type.Object(
  {
    cpu: Type.Optional(Type.Object({ current_percent: percent(), avg_percent: percent(), max_percent: percent(), ...cpuFields })),
    memory: Type.Optional(Type.Object({ ...fieldsOf('memory', valueOf), avg_percent: percent(), max_percent: percent() })),
    disk: Type.Optional(Type.Object(fieldsOf('disk', valueOf))),
    network: Type.Optional(Type.Object(fieldsOf('network', valueOf))),
    tcp: Type.Optional(Type.Object(fieldsOf('tcp', valueOf))),
  },
  { description: 'A group that has no sample in the period is absent.' },
)

const SeriesField = Type.Object({
  avg: Type.Array(Nullable(Type.Number())),
  max: Type.Array(Nullable(Type.Number())),
})

/** Means and maxima per step over the whole period; gaps are null; the first step begins at `from`, a multiple of the step. */
export const MetricSeries = Type.Object({
  step_seconds: Type.Integer(),
  from: Timestamp,
  points: Type.Integer({ minimum: 1 }),
  ...groupsOf(() => Type.Optional(SeriesField)),
})

export const ServerMetrics = Type.Object(
  {
    server_id: IdOf('server'),
    period: Type.Enum(Object.keys(METRIC_PERIODS) as MetricPeriod[]),
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
    ...groupsOf(valueOf),
  },
  { $id: 'MetricSnapshot' },
)

export const MetricsQuery = Type.Object(
  {
    period: Type.Optional(Type.Enum(Object.keys(METRIC_PERIODS) as MetricPeriod[], { default: '1h' })),
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
