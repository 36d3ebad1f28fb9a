import { ReclassifiedOf } from './reclassifications.ts'
import { type Static, Type } from 'typebox'
import { MAX_ALERT_CHANNELS } from '../alerting/alert-types.ts'
import { FollowedPolicy } from '../alerting/alert-rules.ts'
import { IdOf } from '../wire/ids.ts'
import { MAX_NAME_LENGTH, MAX_TAG_LENGTH } from '../wire/limits.ts'
import { OBJECTIVE } from '../pages/reports.ts'
import { BURN_ALERT_NAMES, MAX_SLO_MONITORS, SLO_KINDS, SLO_WINDOWS } from './slo-choices.ts'
import { ManagedField } from '../wire/managed.ts'
import { LaterTimestamp, Nullable, PageAnswer, PageQuery, Ref, Timestamp, TimeZoneName, VisibleText } from '../wire/wire.ts'

export const SloKindName = Type.Enum([...SLO_KINDS], {
  $id: 'SloKindName',
  description: '`availability`: checks that are not down; `latency`: checks with a response in less than `threshold_ms`',
})
export const SloWindowName = Type.Enum([...SLO_WINDOWS], {
  $id: 'SloWindowName',
  description: 'The last days, or the calendar month or quarter of the time zone',
})
export const BurnAlertName = Type.Enum([...BURN_ALERT_NAMES], {
  $id: 'BurnAlertName',
  description:
    'A burn-rate alert by its long window: `1h` and 5 min above 14.4, `6h` and 30 min above 6 (both critical), `3d` and 6 h above 1 (warning)',
})

const Target = {
  id: Nullable(Type.String({ maxLength: 200, description: 'one monitor' })),
  tag: Nullable(
    Type.String({
      minLength: 1,
      maxLength: MAX_TAG_LENGTH,
      description: `all monitors with this tag, at most ${MAX_SLO_MONITORS}`,
      examples: ['shop'],
    }),
  ),
}
export const SloTarget = Type.Object(Target, { $id: 'SloTarget', description: 'A monitor, or all monitors with a tag' })
export const SloTargetBody = Type.Object(
  { id: Type.Optional(Target.id), tag: Type.Optional(Target.tag) },
  { $id: 'SloTargetBody', description: 'Either `id` or `tag`', additionalProperties: false },
)

const Name = VisibleText(MAX_NAME_LENGTH, { examples: ['Shop answers'] })
const Objective = Type.Number({ ...OBJECTIVE, description: 'percent of checks that are good', examples: [99.9] })
const Threshold = Nullable(Type.Integer({ minimum: 1, maximum: 600_000, description: 'of `latency`; null for `availability`' }))
const TimeZone = Type.String({ minLength: 1, maxLength: 64, description: 'IANA name, for calendar windows. Default `UTC`' })
const Channels = Type.Array(Type.String({ maxLength: 200 }), {
  maxItems: MAX_ALERT_CHANNELS,
  uniqueItems: true,
  description: 'the channels that burn-rate alerts notify; default: none',
})
const Alerts = Type.Array(Ref(BurnAlertName), {
  maxItems: BURN_ALERT_NAMES.length,
  uniqueItems: true,
  description: 'the alerts that are on; default: all',
})

/** The backend fills the defaults: a default here would also apply to a PATCH. */
const Definition = {
  kind: Type.Optional(Ref(SloKindName)),
  threshold_ms: Type.Optional(Threshold),
  window: Type.Optional(Ref(SloWindowName)),
  time_zone: Type.Optional(TimeZone),
  channel_ids: Type.Optional(Channels),
  escalation_policy_id: Type.Optional(FollowedPolicy),
  burn_alerts: Type.Optional(Alerts),
}

export const CreateSloBody = Type.Object(
  { name: Name, target: Ref(SloTargetBody), objective: Objective, ...Definition },
  {
    $id: 'CreateSloBody',
    description: 'An objective for the checks of monitors. Default: `availability` over `30d`',
    additionalProperties: false,
  },
)
export type CreateSloBody = Static<typeof CreateSloBody>

export const PatchSloBody = Type.Object(
  {
    name: Type.Optional(Name),
    target: Type.Optional(Ref(SloTargetBody)),
    objective: Type.Optional(Objective),
    ...Definition,
  },
  {
    $id: 'PatchSloBody',
    description: 'Changes only the fields that are given; `target` is replaced as a whole',
    examples: [{ objective: 99.5, burn_alerts: ['1h', '6h'] }],
    additionalProperties: false,
    minProperties: 1,
  },
)
export type PatchSloBody = Static<typeof PatchSloBody>

const Count = Type.Integer({ minimum: 0 })

export const BurnRate = Type.Object(
  {
    window: Ref(BurnAlertName),
    burn_rate: {
      ...Nullable(Type.Number({ minimum: 0, examples: [1.39] })),
      description: 'how many times faster the budget burns than it lasts; null without checks',
    },
    total: { ...Count, description: 'checks of the window', examples: [720] },
    too_few_checks: {
      ...Type.Boolean(),
      description: 'a single bad check is enough to exceed the threshold of the alert: the window decides nothing',
    },
  },
  { $id: 'BurnRate', description: 'The burn rate over the long window of an alert' },
)
export type BurnRate = Static<typeof BurnRate>

export const SloStatus = Type.Object(
  {
    from: { ...Timestamp, description: 'start of the window; before the single checks (35 days) a whole UTC day' },
    to: LaterTimestamp,
    exact_from: {
      ...Timestamp,
      description:
        'before it maintenance is what it was when the day ended, and a latency is within 1 % of the threshold; of more than 100 monitors a latency is so on all UTC days that have ended',
    },
    exact_until: { ...LaterTimestamp, description: 'end of the last compacted hour; after it more checks may still be stored' },
    unit: Type.Enum(['checks', 'time'], {
      description:
        'what is counted: checks, or of an objective of composites alone seconds; composites do not count where there are checks',
      examples: ['checks'],
    }),
    good: { ...Count, examples: [86_370] },
    bad: { ...Count, examples: [30] },
    total: { ...Count, description: 'conclusive checks of all regions outside maintenance', examples: [86_400] },
    good_percent: {
      ...Nullable(Type.Number({ minimum: 0, maximum: 100, examples: [99.96527777777777] })),
      description: 'not rounded; null without checks',
    },
    budget_left_percent: {
      ...Nullable(Type.Number({ examples: [65.27777777777777] })),
      description: 'of the bad checks that the objective allows; below 0 it is exceeded; not rounded; null without checks',
    },
    burn_rates: Type.Array(Ref(BurnRate)),
    reclassified: ReclassifiedOf('the window'),
  },
  { $id: 'SloStatus', description: 'The error budget of a window' },
)
export type SloStatus = Static<typeof SloStatus>

const Fields = {
  id: IdOf('slo'),
  name: Type.String({ examples: ['Shop answers'] }),
  target: Ref(SloTarget),
  kind: Ref(SloKindName),
  threshold_ms: Threshold,
  objective: Objective,
  window: Ref(SloWindowName),
  time_zone: TimeZoneName,
  channel_ids: Type.Array(Type.String()),
  escalation_policy_id: Nullable(IdOf('escalationPolicy'), null),
  burn_alerts: Type.Array(Ref(BurnAlertName)),
  managed: ManagedField,
  created_at: Timestamp,
  updated_at: Timestamp,
}

export const Slo = Type.Object(Fields, { $id: 'Slo', description: 'A service level objective as in lists' })
export type Slo = Static<typeof Slo>

export const SloDetails = Type.Object(
  { ...Fields, status: Ref(SloStatus) },
  { $id: 'SloDetails', description: 'A service level objective with its error budget' },
)
export type SloDetails = Static<typeof SloDetails>

export const SloListQuery = Type.Object(PageQuery, { additionalProperties: false })
export const SloList = Type.Object(
  { slos: Type.Array(Ref(Slo)), ...PageAnswer },
  { $id: 'SloList', description: 'A page of service level objectives, newest first' },
)
export type SloList = Static<typeof SloList>
