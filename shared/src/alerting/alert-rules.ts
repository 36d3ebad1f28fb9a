import { type Static, Type } from 'typebox'
import {
  ALERT_OPERATORS,
  ALERT_TARGET_TYPES,
  EVERY_SECONDS,
  FOR_SECONDS,
  MAX_ALERT_CHANNELS,
  MAX_EXPRESSION_LENGTH,
  MAX_RULE_SERIES,
  REPEAT_SECONDS,
  RULE_TARGET_TYPES,
  SEVERITIES,
} from './alert-types.ts'
import { MAX_ENTITY_NAME_LENGTH } from '../hosts/entities/limits.ts'
import { RuleDescription } from '../wire/description.ts'
import { IdOf } from '../wire/ids.ts'
import { MAX_NAME_LENGTH, MAX_TAG_LENGTH } from '../wire/limits.ts'
import { ManagedField } from '../wire/managed.ts'
import { Nullable, PageAnswer, PageQuery, Ref, Timestamp, VisibleText } from '../wire/wire.ts'

export const AlertTargetTypeName = Type.Enum([...ALERT_TARGET_TYPES], {
  $id: 'AlertTargetTypeName',
  description: 'The type of target of a window',
})
export const RuleTargetTypeName = Type.Enum([...RULE_TARGET_TYPES], {
  $id: 'RuleTargetTypeName',
  description: 'The type of target of a rule; `series`: those that its expression gives',
})
export const AlertOperatorName = Type.Enum([...ALERT_OPERATORS], {
  $id: 'AlertOperatorName',
  description: 'How the value is compared with the threshold',
})
export const SeverityName = Type.Enum([...SEVERITIES], {
  $id: 'SeverityName',
  description: 'The severity of an incident',
  examples: ['critical'],
})

const Target = {
  type: Ref(AlertTargetTypeName),
  id: Nullable(Type.String({ maxLength: 200, description: 'one monitor or server' })),
  tag: Nullable(Type.String({ minLength: 1, maxLength: MAX_TAG_LENGTH, description: 'all with this tag' })),
}

const AlertTarget = Type.Object(Target)
/** Without `id` and `tag`: all targets of the type in the organization. */
export type AlertTarget = Static<typeof AlertTarget>

export const AlertTargetBody = Type.Object(
  { type: Target.type, id: Type.Optional(Target.id), tag: Type.Optional(Target.tag) },
  {
    $id: 'AlertTargetBody',
    description: 'Without `id` and `tag`: all targets of the type in the organization; both together are refused',
    additionalProperties: false,
  },
)

const RuleTarget = { ...Target, type: Ref(RuleTargetTypeName) }

export const AlertRuleTarget = Type.Object(RuleTarget, {
  $id: 'AlertRuleTarget',
  description: 'Without `id` and `tag`: all targets of the type in the organization; series have neither',
})
export type AlertRuleTarget = Static<typeof AlertRuleTarget>

export const AlertRuleTargetBody = Type.Object(
  { type: RuleTarget.type, id: Type.Optional(RuleTarget.id), tag: Type.Optional(RuleTarget.tag) },
  {
    $id: 'AlertRuleTargetBody',
    description: 'Without `id` and `tag`: all targets of the type in the organization; both together are refused',
    additionalProperties: false,
  },
)

const Value = Type.Unsafe<string | number>({
  type: ['string', 'number'],
  maxLength: 64,
  minimum: -1e18,
  maximum: 1e18,
  examples: ['down'],
})

const Condition = {
  metric: Type.String({
    minLength: 1,
    maxLength: 64,
    description:
      'of a monitor `status`, `response_ms`, `certificate_days`, `certificate.days` of the whole chain, `certificate.changed`, `certificate.weak`, `certificate.name_mismatch` or `certificate.differs`, which equal 1, of a composite `members_down`, or a fact of its kind that is a number, as `packet_loss`; of a server `status`, `filesystem.percent`, `filesystem.days_until_full`, `memory.days_until_full`, any number of a sample as `memory.percent`, a field of entities as `entity.container.memory_percent`, or a finding of its health as `health.disk_failing`, which equals 1; of series `promql`',
    examples: ['status'],
  }),
  operator: Ref(AlertOperatorName),
  value: Value,
}
const Mount = Nullable(
  Type.String({
    minLength: 1,
    maxLength: 1_024,
    description: 'for `filesystem.percent` and `filesystem.days_until_full`; null: any mount',
  }),
)

const EntityName = Nullable(
  Type.String({
    minLength: 1,
    maxLength: MAX_ENTITY_NAME_LENGTH,
    description:
      'for a field of entities: their name, in which `*` stands for any text, or the image or project of containers; null: any',
  }),
)

const OfExpression = {
  expression: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: MAX_EXPRESSION_LENGTH,
      description: `for \`promql\`: PromQL that gives series, as the query API of Prometheus takes it; each of them has an incident, at most ${MAX_RULE_SERIES}. It stays as it is when a host is renamed`,
    }),
  ),
  every_seconds: Type.Optional(
    Type.Integer({
      minimum: EVERY_SECONDS.minimum,
      maximum: EVERY_SECONDS.maximum,
      description: `for \`promql\`: how often it is evaluated; default ${EVERY_SECONDS.default}`,
    }),
  ),
}

export const AlertCondition = Type.Object(
  { ...Condition, mount: Type.Optional(Mount), name: Type.Optional(EntityName), ...OfExpression },
  {
    $id: 'AlertCondition',
    description:
      'What the rule evaluates; `status` equals `down`, `degraded` or `offline`, and `promql` equals 1: a series is in the answer',
  },
)
export type AlertCondition = Static<typeof AlertCondition>

export const AlertConditionBody = Type.Object(
  {
    metric: Condition.metric,
    operator: Type.Optional(Condition.operator),
    value: Type.Optional(Condition.value),
    mount: Type.Optional(Mount),
    name: Type.Optional(EntityName),
    ...OfExpression,
  },
  {
    $id: 'AlertConditionBody',
    description:
      'What the rule evaluates; `status` equals `down`, `degraded` or `offline`. `operator` and `value` are required, except for `promql`',
    additionalProperties: false,
  },
)

const ClearValue = Nullable(
  Type.Number({
    minimum: -1e18,
    maximum: 1e18,
    description: 'the incident is resolved when the value is back at this one; null: at that of the condition',
  }),
)
const Repeat = Nullable(
  Type.Integer({ ...REPEAT_SECONDS, description: 'unacknowledged incidents are notified again at this interval; null: never' }),
)
const Name = VisibleText(MAX_NAME_LENGTH, { examples: ['Monitor down'] })

/** Of a rule and of an SLO. */
export const FollowedPolicy = Nullable(
  Type.String({
    maxLength: 200,
    description: 'the escalation policy that is followed in place of `channel_ids`; null: none',
  }),
)

/** The definition. The backend fills the defaults: a default here would also apply to a PATCH. */
const Definition = {
  enabled: Type.Optional(Type.Boolean({ description: 'default true' })),
  clear_value: Type.Optional(ClearValue),
  for_seconds: Type.Optional(
    Type.Integer({
      minimum: FOR_SECONDS.minimum,
      maximum: FOR_SECONDS.maximum,
      description: `how long the condition must hold before an incident opens; default ${FOR_SECONDS.default}`,
    }),
  ),
  severity: Type.Optional(Ref(SeverityName)),
  channel_ids: Type.Optional(
    Type.Array(Type.String({ maxLength: 200 }), {
      maxItems: MAX_ALERT_CHANNELS,
      uniqueItems: true,
      description: 'the channels that are notified; default: none',
    }),
  ),
  repeat_seconds: Type.Optional(Repeat),
  escalation_policy_id: Type.Optional(FollowedPolicy),
  ...RuleDescription.body,
}

export const CreateAlertRuleBody = Type.Object(
  { name: Name, target: Ref(AlertRuleTargetBody), condition: Ref(AlertConditionBody), ...Definition },
  {
    $id: 'CreateAlertRuleBody',
    description: 'When an incident opens, and which channels are notified',
    additionalProperties: false,
    examples: [
      {
        name: 'Disk of the databases',
        target: { type: 'server', tag: 'database' },
        condition: { metric: 'filesystem.percent', mount: '/var', operator: 'greater_than', value: 85 },
        clear_value: 80,
        for_seconds: 300,
        severity: 'warning',
      },
    ],
  },
)
export type CreateAlertRuleBody = Static<typeof CreateAlertRuleBody>

export const PatchAlertRuleBody = Type.Object(
  {
    name: Type.Optional(Name),
    target: Type.Optional(Ref(AlertRuleTargetBody)),
    condition: Type.Optional(Ref(AlertConditionBody)),
    ...Definition,
  },
  {
    $id: 'PatchAlertRuleBody',
    description: 'Changes only the fields that are given; `target` and `condition` are replaced as a whole',
    examples: [{ enabled: false }],
    additionalProperties: false,
    minProperties: 1,
  },
)
export type PatchAlertRuleBody = Static<typeof PatchAlertRuleBody>

export const AlertRule = Type.Object(
  {
    id: IdOf('alertRule'),
    name: Type.String({ examples: ['Monitor down'] }),
    enabled: Type.Boolean({ examples: [true] }),
    target: Ref(AlertRuleTarget),
    condition: Ref(AlertCondition),
    clear_value: ClearValue,
    for_seconds: Type.Integer(),
    severity: Ref(SeverityName),
    channel_ids: Type.Array(Type.String()),
    repeat_seconds: Repeat,
    escalation_policy_id: Nullable(IdOf('escalationPolicy'), null),
    ...RuleDescription.answer,
    last_error: Type.Optional(
      Nullable(
        Type.String({
          description: 'of a rule on PromQL: why its last evaluation failed, which opened and resolved nothing; null: it did not',
        }),
      ),
    ),
    managed: ManagedField,
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { $id: 'AlertRule', description: 'When an incident opens, and which channels are notified' },
)
export type AlertRule = Static<typeof AlertRule>

export const AddedAlertRules = Type.Object(
  { alert_rules: Type.Array(Ref(AlertRule)) },
  { $id: 'AddedAlertRules', description: 'The default rules that were created; empty where the organization has them all' },
)
export type AddedAlertRules = Static<typeof AddedAlertRules>

export const AlertRuleListQuery = Type.Object(PageQuery, { additionalProperties: false })

export const AlertRuleList = Type.Object(
  { alert_rules: Type.Array(Ref(AlertRule)), ...PageAnswer },
  { $id: 'AlertRuleList', description: 'A page of alert rules, newest first' },
)
export type AlertRuleList = Static<typeof AlertRuleList>
