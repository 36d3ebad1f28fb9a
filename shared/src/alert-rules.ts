import { type Static, Type } from 'typebox'
import { IdOf } from './ids.ts'
import { ALL_FIELDS } from './metrics/fields.ts'
import { Nullable, PageAnswer, PageQuery, Ref, Timestamp } from './wire.ts'

export const ALERT_TARGET_TYPES = ['monitor', 'server'] as const
export type AlertTargetType = (typeof ALERT_TARGET_TYPES)[number]
export const ALERT_OPERATORS = ['equals', 'greater_than', 'less_than'] as const
export type AlertOperator = (typeof ALERT_OPERATORS)[number]
export const SEVERITIES = ['info', 'warning', 'critical'] as const
export type Severity = (typeof SEVERITIES)[number]

export const MAX_ALERT_CHANNELS = 20
export const FOR_SECONDS = { minimum: 0, maximum: 86_400, default: 0 } as const
export const REPEAT_SECONDS = { minimum: 60, maximum: 2_592_000 } as const

/** What a rule may look at, by the type of its target. `status` is a word, all others are numbers. */
export const ALERT_METRICS: Readonly<Record<AlertTargetType, readonly string[]>> = {
  monitor: ['status', 'response_ms', 'certificate_days'],
  server: ['status', ...ALL_FIELDS.map(({ group, name }) => `${group}.${name}`), 'filesystem.percent'],
}

/** The statuses that a rule may tell of. */
export const ALERT_STATUSES: Readonly<Record<AlertTargetType, readonly string[]>> = {
  monitor: ['down', 'degraded'],
  server: ['offline'],
}

export const AlertTargetTypeName = Type.Enum([...ALERT_TARGET_TYPES], {
  $id: 'AlertTargetTypeName',
  description: 'What a rule or a window speaks of',
})
export const AlertOperatorName = Type.Enum([...ALERT_OPERATORS], {
  $id: 'AlertOperatorName',
  description: 'How a value stands to that of the condition',
})
export const SeverityName = Type.Enum([...SEVERITIES], { $id: 'SeverityName', description: 'How much it matters' })

const Target = {
  type: Ref(AlertTargetTypeName),
  id: Nullable(Type.String({ maxLength: 200, description: 'one monitor or server' })),
  tag: Nullable(Type.String({ minLength: 1, maxLength: 64, description: 'those that have this tag' })),
}

export const AlertTarget = Type.Object(Target, {
  $id: 'AlertTarget',
  description: 'Neither `id` nor `tag`: all of that type in the organization',
})
export type AlertTarget = Static<typeof AlertTarget>

export const AlertTargetBody = Type.Object(
  { type: Target.type, id: Type.Optional(Target.id), tag: Type.Optional(Target.tag) },
  {
    $id: 'AlertTargetBody',
    description: 'Neither `id` nor `tag`: all of that type in the organization; both are refused',
    additionalProperties: false,
  },
)

const Value = Type.Unsafe<string | number>({ type: ['string', 'number'], maxLength: 64, minimum: -1e18, maximum: 1e18 })

const Condition = {
  metric: Type.String({
    minLength: 1,
    maxLength: 64,
    description:
      'of a monitor `status`, `response_ms`, `certificate_days`; of a server `status`, `filesystem.percent` or any number of a sample as `memory.percent`',
  }),
  operator: Ref(AlertOperatorName),
  value: Value,
}
const Mount = Nullable(Type.String({ minLength: 1, maxLength: 1_024, description: 'of `filesystem.percent`; null: any of them' }))

export const AlertCondition = Type.Object(
  { ...Condition, mount: Type.Optional(Mount) },
  { $id: 'AlertCondition', description: 'What is looked at; `status` equals `down`, `degraded` or `offline`' },
)
export type AlertCondition = Static<typeof AlertCondition>

export const AlertConditionBody = Type.Object(
  { ...Condition, mount: Type.Optional(Mount) },
  {
    $id: 'AlertConditionBody',
    description: 'What is looked at; `status` equals `down`, `degraded` or `offline`',
    additionalProperties: false,
  },
)

const ClearValue = Nullable(
  Type.Number({
    minimum: -1e18,
    maximum: 1e18,
    description: 'the value has to come back to this before the incident is over; null: to that of the condition',
  }),
)
const Repeat = Nullable(
  Type.Integer({ ...REPEAT_SECONDS, description: 'an incident that nobody has acknowledged is told again so often; null: once' }),
)
const Name = Type.String({ minLength: 1, maxLength: 200 })

/** What people define. Defaults are filled by the backend: none stands here, so that a PATCH changes only what it names. */
const Definition = {
  enabled: Type.Optional(Type.Boolean({ description: 'default true' })),
  clear_value: Type.Optional(ClearValue),
  for_seconds: Type.Optional(
    Type.Integer({
      minimum: FOR_SECONDS.minimum,
      maximum: FOR_SECONDS.maximum,
      description: `how long the condition holds before it is told; default ${FOR_SECONDS.default}`,
    }),
  ),
  severity: Type.Optional(Ref(SeverityName)),
  channel_ids: Type.Optional(
    Type.Array(Type.String({ maxLength: 200 }), {
      maxItems: MAX_ALERT_CHANNELS,
      uniqueItems: true,
      description: 'where it is told; default: nowhere',
    }),
  ),
  repeat_seconds: Type.Optional(Repeat),
}

export const CreateAlertRuleBody = Type.Object(
  { name: Name, target: Ref(AlertTargetBody), condition: Ref(AlertConditionBody), ...Definition },
  { $id: 'CreateAlertRuleBody', description: 'When to tell, and whom', additionalProperties: false },
)
export type CreateAlertRuleBody = Static<typeof CreateAlertRuleBody>

export const PatchAlertRuleBody = Type.Object(
  {
    name: Type.Optional(Name),
    target: Type.Optional(Ref(AlertTargetBody)),
    condition: Type.Optional(Ref(AlertConditionBody)),
    ...Definition,
  },
  {
    $id: 'PatchAlertRuleBody',
    description: 'Only what is named changes; `target` and `condition` as a whole',
    additionalProperties: false,
    minProperties: 1,
  },
)
export type PatchAlertRuleBody = Static<typeof PatchAlertRuleBody>

export const AlertRule = Type.Object(
  {
    id: IdOf('alertRule'),
    name: Type.String(),
    enabled: Type.Boolean(),
    target: Ref(AlertTarget),
    condition: Ref(AlertCondition),
    clear_value: ClearValue,
    for_seconds: Type.Integer(),
    severity: Ref(SeverityName),
    channel_ids: Type.Array(Type.String()),
    repeat_seconds: Repeat,
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { $id: 'AlertRule', description: 'When to tell, and whom' },
)
export type AlertRule = Static<typeof AlertRule>

export const AlertRuleListQuery = Type.Object(PageQuery, { additionalProperties: false })

export const AlertRuleList = Type.Object(
  { alert_rules: Type.Array(Ref(AlertRule)), ...PageAnswer },
  { $id: 'AlertRuleList', description: 'A page of alert rules, newest first' },
)
export type AlertRuleList = Static<typeof AlertRuleList>
