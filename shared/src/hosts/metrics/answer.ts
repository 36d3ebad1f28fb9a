import { type Static, type TOptional, Type } from 'typebox'
import { IdOf } from '../../wire/ids.ts'
import { Nullable, Ref, Timestamp } from '../../wire/wire.ts'
import { DIMENSION_KINDS, MAX_DIMENSIONS } from './dimensions.ts'
import { METRIC_GROUPS, type MetricField, type MetricGroup, UNIT_DECIMALS } from './fields.ts'
import { fieldsOf, groupsOf } from './groups.ts'
import { METRIC_PERIODS, type MetricPeriod } from './periods.ts'

const isWhole = (field: MetricField): boolean => field.whole === true || UNIT_DECIMALS[field.unit] === 0
const valueOf = (field: MetricField) => Nullable(isWhole(field) ? Type.Integer() : Type.Number())

/** `cpu` reports its busy share as newest, mean and maximum; the response has no `percent` field. */
const { percent: _percent, ...cpuFields } = fieldsOf('cpu', valueOf)
const percent = () => Nullable(Type.Number({ minimum: 0, maximum: 100 }))

/** Values of a host, for examples. */
const SHARES = { user_percent: 9.25, system_percent: 3.25, iowait_percent: 0.1, steal_percent: 0 }
const CPU = { ...SHARES, cores: 4, load_1: 0.11, load_5: 0.43, load_15: 0.81 }
const SPACE = { used_bytes: 2_147_483_648, total_bytes: 8_589_934_592, percent: 25 }
const MEMORY = { ...SPACE, swap_used_bytes: 0, swap_total_bytes: 0, swap_percent: 0 }
const EXAMPLES: { [Group in MetricGroup]?: object } = {
  cpu: { percent: 12.5, ...CPU },
  memory: MEMORY,
  disk: { read_iops: 3, write_iops: 12, read_throughput_bps: 16_384, write_throughput_bps: 122_880, usage_percent: 41.5 },
  network: { rx_bytes_per_sec: 1_200, tx_bytes_per_sec: 830, active_connections: 12, rx_errors_per_sec: 0, tx_errors_per_sec: 0 },
  host: { failed_units: 1, reboot_required: 0, missing_processes: 0 },
}

/** The groups of a newest sample. Those of a period have more fields for cpu and memory. */
const groupName = (group: MetricGroup): string => `${group.charAt(0).toUpperCase()}${group.slice(1)}Metrics`
const newest = <Group extends MetricGroup>(group: Group) => {
  const example = EXAMPLES[group]
  return Type.Object(fieldsOf(group, valueOf), { $id: groupName(group), ...(example && { examples: [example] }) })
}
const NewestGroups = {
  cpu: newest('cpu'),
  memory: newest('memory'),
  disk: newest('disk'),
  network: newest('network'),
  tcp: newest('tcp'),
  host: newest('host'),
}

export const MetricGroups = Type.Object(
  {
    cpu: Type.Optional(
      Type.Object(
        { current_percent: percent(), avg_percent: percent(), max_percent: percent(), ...cpuFields },
        { examples: [{ current_percent: 12.5, avg_percent: 11.07, max_percent: 48.2, ...CPU }] },
      ),
    ),
    memory: Type.Optional(
      Type.Object(
        { ...fieldsOf('memory', valueOf), avg_percent: percent(), max_percent: percent() },
        { examples: [{ ...MEMORY, avg_percent: 24.8, max_percent: 25.6 }] },
      ),
    ),
    disk: Type.Optional(Ref(NewestGroups.disk)),
    network: Type.Optional(Ref(NewestGroups.network)),
    tcp: Type.Optional(Ref(NewestGroups.tcp)),
    host: Type.Optional(Ref(NewestGroups.host)),
  },
  {
    $id: 'MetricGroups',
    description:
      'Gauges: the newest value of each field in the period. Rates: the mean. Null where the host cannot measure it. ' +
      'A group without a sample in the period is absent',
  },
)

export const SeriesField = Type.Object(
  {
    avg: Type.Array(Nullable(Type.Number())),
    max: Type.Array(Nullable(Type.Number())),
  },
  { $id: 'SeriesField', description: 'Mean and maximum per step; null where the step has no value' },
)
export const MetricSeries = Type.Object(
  {
    step_seconds: Type.Integer(),
    from: Type.String({ format: 'date-time', description: 'where the first step begins: a multiple of the step' }),
    points: Type.Integer({ minimum: 1, description: 'how many steps every list has' }),
    ...groupsOf(() => Type.Optional(Ref(SeriesField))),
  },
  {
    $id: 'MetricSeries',
    description: 'Means and maxima per step over the whole period',
    examples: [
      {
        step_seconds: 300,
        from: '2026-11-21T09:00:00.000Z',
        points: 3,
        cpu: { percent: { avg: [null, 11.2, 12], max: [null, 48.2, 12.5] } },
      },
    ],
  },
)

const mean = () => Nullable(Type.Number({ minimum: 0 }))
const seriesOfFields = <const Name extends string>(...names: Name[]) =>
  Type.Optional(
    Type.Object(
      // The compiler cannot infer that each name is a property.
      Object.fromEntries(names.map((name) => [name, Type.Optional(Ref(SeriesField))])) as Record<
        Name,
        TOptional<ReturnType<typeof Ref<typeof SeriesField>>>
      >,
    ),
  )

export const MountMetrics = Type.Object(
  {
    mount: Type.String(),
    used_bytes: Nullable(Type.Integer({ minimum: 0 })),
    total_bytes: Nullable(Type.Integer({ minimum: 0 })),
    percent: percent(),
    avg_percent: percent(),
    max_percent: percent(),
    series: seriesOfFields('used_bytes', 'total_bytes', 'percent'),
  },
  {
    $id: 'MountMetrics',
    description: 'A filesystem over the period: its newest state, mean and maximum; `series` with `points`',
    examples: [{ mount: '/', ...SPACE, avg_percent: 24.1, max_percent: 25 }],
  },
)
export const InterfaceMetrics = Type.Object(
  {
    name: Type.String(),
    rx_bytes_per_sec: mean(),
    tx_bytes_per_sec: mean(),
    series: seriesOfFields('rx_bytes_per_sec', 'tx_bytes_per_sec'),
  },
  {
    $id: 'InterfaceMetrics',
    description: 'A network interface over the period: means of the reported rates; `series` with `points`',
    examples: [{ name: 'eth0', rx_bytes_per_sec: 1_200.5, tx_bytes_per_sec: 830 }],
  },
)

export const ServerMetrics = Type.Object(
  {
    server_id: IdOf('server'),
    period: Type.String({
      description: 'as requested; for a range its first and last instant: `<from>/<to>`',
      examples: ['15m'],
    }),
    metrics: Ref(MetricGroups),
    series: Type.Optional(Ref(MetricSeries)),
    by_mount: Type.Optional(Type.Array(Ref(MountMetrics), { description: 'with `by=mount`, by name' })),
    by_interface: Type.Optional(Type.Array(Ref(InterfaceMetrics), { description: 'with `by=interface`, by name' })),
    others: Type.Optional(
      Type.Integer({
        minimum: 0,
        description: `with \`by\`: current ones without history, because the server has samples of ${MAX_DIMENSIONS} others of the kind`,
      }),
    ),
  },
  {
    $id: 'ServerMetrics',
    description: 'The metrics of a server over a period; `series` with `points`',
  },
)
export type ServerMetrics = Static<typeof ServerMetrics>

export const MetricSnapshot = Type.Object(
  {
    sampled_at: Timestamp,
    cpu: Type.Optional(Ref(NewestGroups.cpu)),
    memory: Type.Optional(Ref(NewestGroups.memory)),
    disk: Type.Optional(Ref(NewestGroups.disk)),
    network: Type.Optional(Ref(NewestGroups.network)),
    tcp: Type.Optional(Ref(NewestGroups.tcp)),
    host: Type.Optional(Ref(NewestGroups.host)),
  },
  {
    $id: 'MetricSnapshot',
    description: 'The newest sample of a server. Groups are absent and fields null where the host cannot measure them',
  },
)

/** Named parts of the answers above. */
export const METRIC_PARTS = [...Object.values(NewestGroups), SeriesField, MountMetrics, InterfaceMetrics]

/** Either `period`, or `from` and `to`. */
export const MetricsQuery = Type.Object(
  {
    period: Type.Optional(
      Type.Enum(Object.keys(METRIC_PERIODS) as MetricPeriod[], { description: 'How far back from now; default 1h' }),
    ),
    from: Type.Optional(
      Type.String({ format: 'date-time', description: 'Start of a range of at most 400 days, instead of `period`' }),
    ),
    to: Type.Optional(Type.String({ format: 'date-time', description: 'End of the range, exclusive' })),
    metrics: Type.Optional(
      Type.String({
        maxLength: 64,
        pattern: `^(${METRIC_GROUPS.join('|')})(,(${METRIC_GROUPS.join('|')}))*$`,
        'x-form': `a list of ${METRIC_GROUPS.join(', ')}, separated by commas`,
        description: `Comma-separated list of ${METRIC_GROUPS.join(', ')}; all of them when omitted`,
      }),
    ),
    by: Type.Optional(
      Type.Enum(DIMENSION_KINDS, {
        description:
          'Adds each filesystem (`mount`, with `metrics=disk`) or each interface (`interface`, with `metrics=network`)',
      }),
    ),
    points: Type.Optional(
      Type.Integer({ minimum: 10, maximum: 1_000, description: 'Adds `series` with at most this many points' }),
    ),
  },
  { additionalProperties: false },
)
