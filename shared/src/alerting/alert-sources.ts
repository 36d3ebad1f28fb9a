import { type Static, Type } from 'typebox'
import { FollowedPolicy, SeverityName } from './alert-rules.ts'
import {
  ALERT_SAMPLE_BYTES,
  ALERT_SOURCE_TYPES,
  MAX_ALERT_LABEL_BYTES,
  MAX_ALERT_SAMPLES,
  MAX_SEVERITY_WORD_LENGTH,
  MAX_SEVERITY_WORDS,
  MAX_SOURCE_LABELS,
  MAX_SOURCE_OPEN,
  MAX_SOURCE_ROUTES,
  MAX_SOURCE_TEMPLATE_LENGTH,
  RESOLVE_AFTER_SECONDS,
} from './alert-source-types.ts'
import { MAX_ALERT_CHANNELS } from './alert-types.ts'
import { exampleId, IdOf } from '../wire/ids.ts'
import { MAX_NAME_LENGTH, MAX_TAG_LENGTH, MAX_TAGS } from '../wire/limits.ts'
import { ManagedField } from '../wire/managed.ts'
import { Nullable, PageAnswer, PageQuery, Ref, Secret, Timestamp, VisibleText } from '../wire/wire.ts'

export const AlertSourceTypeName = Type.Enum([...ALERT_SOURCE_TYPES], {
  $id: 'AlertSourceTypeName',
  description: 'What sends the alerts; `generic`: any JSON, which `template` reads',
})

const TemplateText = (description: string, example: string) =>
  Type.String({ minLength: 1, maxLength: MAX_SOURCE_TEMPLATE_LENGTH, description, examples: [example] })

const TemplateFields = {
  key: Type.Optional(
    TemplateText('what makes it the same alert; default: a hash of `id` and `title` of the body', '{{ body.check }}'),
  ),
  title: Type.Optional(TemplateText('default: `title` of the body', '{{ body.check }} on {{ body.host }}')),
  severity: Type.Optional(TemplateText('a word of the sender; default: `severity` of the body', '{{ body.level }}')),
  status: Type.Optional(
    TemplateText(
      '`resolved`, `ok`, `up`, `closed` and the like end it, `acknowledged` acknowledges it, all else opens it; default: `status` of the body',
      '{{ body.state }}',
    ),
  ),
  url: Type.Optional(TemplateText('default: `url` of the body', '{{ body.link }}')),
}

export const AlertSourceTemplate = Type.Object(TemplateFields, {
  $id: 'AlertSourceTemplate',
  description: 'Of `generic`: Liquid over `body`, the JSON that was sent',
  additionalProperties: false,
})
export type AlertSourceTemplate = Static<typeof AlertSourceTemplate>

const Name = VisibleText(MAX_NAME_LENGTH, { examples: ['Prometheus in Berlin'] })
const Labels = (description: string, example: string) =>
  Type.Array(VisibleText(MAX_ALERT_LABEL_BYTES), {
    maxItems: MAX_SOURCE_LABELS,
    uniqueItems: true,
    description,
    examples: [[example]],
  })

export const SeverityMap = Type.Record(Type.String({ pattern: `^.{1,${MAX_SEVERITY_WORD_LENGTH}}$` }), Ref(SeverityName), {
  $id: 'SeverityMap',
  maxProperties: MAX_SEVERITY_WORDS,
  description:
    'words of the sender, any case. Before it these count: `critical`, `page`, `1`, `disaster` and `high` are critical, `warning`, `2` and `average` a warning, all others info',
  examples: [{ major: 'critical' }],
})
export type SeverityMap = Static<typeof SeverityMap>

const RouteLabels = Type.Record(Type.String({ pattern: `^.{1,${MAX_ALERT_LABEL_BYTES}}$` }), VisibleText(MAX_ALERT_LABEL_BYTES), {
  minProperties: 1,
  maxProperties: MAX_SOURCE_LABELS,
  description: 'an alert that has all of these labels with these values',
  examples: [{ team: 'shop' }],
})

export const AlertSourceRouteBody = Type.Object(
  {
    labels: RouteLabels,
    escalation_policy_id: Type.String({
      maxLength: 200,
      description: 'of this organization',
      examples: [exampleId('escalationPolicy')],
    }),
  },
  { $id: 'AlertSourceRouteBody', description: 'Which policy alerts with some labels go to', additionalProperties: false },
)

export const AlertSourceRoute = Type.Object(
  { labels: RouteLabels, escalation_policy_id: IdOf('escalationPolicy') },
  { $id: 'AlertSourceRoute', description: 'Which policy alerts with some labels go to' },
)

/** The backend fills the defaults: a default here would also apply to a PATCH. */
const Definition = {
  enabled: Type.Optional(
    Type.Boolean({ description: 'a disabled source is answered as unknown, and its incidents are resolved; default true' }),
  ),
  severity_map: Type.Optional(Ref(SeverityMap)),
  default_severity: Type.Optional(Ref(SeverityName)),
  escalation_policy_id: Type.Optional(FollowedPolicy),
  channel_ids: Type.Optional(
    Type.Array(Type.String({ maxLength: 200 }), {
      maxItems: MAX_ALERT_CHANNELS,
      uniqueItems: true,
      description: 'the channels that are notified; default: none',
    }),
  ),
  routes: Type.Optional(
    Type.Array(Ref(AlertSourceRouteBody), {
      maxItems: MAX_SOURCE_ROUTES,
      description:
        'the first one whose labels an alert has when it opens names its policy; without one the source does. Default: none',
    }),
  ),
  tags: Type.Optional(
    Type.Array(VisibleText(MAX_TAG_LENGTH), {
      maxItems: MAX_TAGS,
      uniqueItems: true,
      description: 'of all its incidents, for policies by tags',
      examples: [['site:berlin']],
    }),
  ),
  tag_labels: Type.Optional(
    Labels('labels that become tags: `team` makes `team:shop` of a label `team` with the value `shop`', 'team'),
  ),
  group_by: Type.Optional(
    Labels('alerts with the same values of these labels are one story and notified once; default: each by itself', 'alertname'),
  ),
  resolve_after_seconds: Type.Optional(
    Nullable(
      Type.Integer({
        ...RESOLVE_AFTER_SECONDS,
        description:
          'an alert that is not sent again within this time is over, up to a quarter of the time later; null: its sender says so',
      }),
    ),
  ),
  max_open: Type.Optional(
    Type.Integer({
      minimum: MAX_SOURCE_OPEN.minimum,
      maximum: MAX_SOURCE_OPEN.maximum,
      description: `open incidents; beyond it one incident says how many alerts opened none. Default ${MAX_SOURCE_OPEN.default}`,
    }),
  ),
  muted: Type.Optional(
    Type.Boolean({ description: 'alerts are taken and counted, and open nothing: for a move. Default false' }),
  ),
  template: Type.Optional(Type.Union([Ref(AlertSourceTemplate), Type.Null()])),
}

export const CreateAlertSourceBody = Type.Object(
  { name: Name, type: Ref(AlertSourceTypeName), ...Definition },
  {
    $id: 'CreateAlertSourceBody',
    description:
      'A sender of alerts. Either channels or an escalation policy. `default_severity`, that of alerts without one, is `warning`',
    additionalProperties: false,
  },
)
export type CreateAlertSourceBody = Static<typeof CreateAlertSourceBody>

export const PatchAlertSourceBody = Type.Object(
  { name: Type.Optional(Name), ...Definition },
  {
    $id: 'PatchAlertSourceBody',
    description:
      'Changes only the fields that are given; lists, `severity_map` and `template` are replaced as a whole. The type stays',
    examples: [{ muted: true }],
    additionalProperties: false,
    minProperties: 1,
  },
)
export type PatchAlertSourceBody = Static<typeof PatchAlertSourceBody>

const TOKEN = 'vdt_in_4Jt0mVdNq8sXyZpRk2Lw7BcHf5GaTe9uQo1iMn3xKv6hPjzEsC'

export const AlertSource = Type.Object(
  {
    id: IdOf('alertSource'),
    name: Type.String({ examples: ['Prometheus in Berlin'] }),
    type: Ref(AlertSourceTypeName),
    enabled: Type.Boolean({ examples: [true] }),
    severity_map: Ref(SeverityMap),
    default_severity: Ref(SeverityName),
    escalation_policy_id: Nullable(IdOf('escalationPolicy'), null),
    channel_ids: Type.Array(Type.String()),
    routes: Type.Array(Ref(AlertSourceRoute), { examples: [[]] }),
    tags: Type.Array(Type.String({ examples: ['site:berlin'] })),
    tag_labels: Type.Array(Type.String({ examples: ['team'] })),
    group_by: Type.Array(Type.String({ examples: ['alertname'] })),
    resolve_after_seconds: Nullable(Type.Integer(), null),
    max_open: Type.Integer({ examples: [1_000] }),
    muted: Type.Boolean({ examples: [false] }),
    template: Type.Union([Ref(AlertSourceTemplate), Type.Null()]),
    address: Type.String({
      description:
        'where alerts are posted to, or what stands before the domain of mails (`alerts+…@`); the token is hidden except in the answers that show it',
      examples: ['https://vedette.example.com/v1/in/•••'],
    }),
    token: Type.Optional(
      Secret({
        description: 'the credential of the sender; only in the answers to a creation and a rotation',
        examples: [TOKEN],
      }),
    ),
    confirm: Nullable(
      Type.Object(
        { topic: Type.String({ examples: ['arn:aws:sns:eu-central-1:123456789012:alerts'] }), url_host: Type.String() },
        {
          description: 'of `sns`: a topic that asks to send here, and the host that a confirmation calls; null: none does',
          examples: [{ topic: 'arn:aws:sns:eu-central-1:123456789012:alerts', url_host: 'sns.eu-central-1.amazonaws.com' }],
        },
      ),
      null,
    ),
    last_received_at: Nullable(Timestamp),
    received_count: Type.Integer({ minimum: 0, description: 'requests that were taken; up to a minute old', examples: [1_024] }),
    managed: ManagedField,
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { $id: 'AlertSource', description: 'A sender of alerts. Its token is shown once' },
)
export type AlertSource = Static<typeof AlertSource>

export const AlertSourceListQuery = Type.Object(PageQuery, { additionalProperties: false })
export const AlertSourceList = Type.Object(
  { alert_sources: Type.Array(Ref(AlertSource)), ...PageAnswer },
  { $id: 'AlertSourceList', description: 'A page of alert sources, newest first' },
)
export type AlertSourceList = Static<typeof AlertSourceList>

export const AlertSample = Type.Object(
  {
    received_at: Timestamp,
    body: Type.String({
      description: `the first ${ALERT_SAMPLE_BYTES} bytes, secrets masked`,
      examples: ['{"status":"firing"}'],
    }),
    opened: Type.Integer({ minimum: 0, description: 'incidents that it opened', examples: [1] }),
    resolved: Type.Integer({ minimum: 0, description: 'incidents that it resolved', examples: [0] }),
    faults: Type.Array(Type.String({ examples: ['alerts.3 has no labels'] }), { description: 'alerts that could not be read' }),
  },
  { $id: 'AlertSample', description: 'A request that a source has sent' },
)
export const AlertSampleList = Type.Object(
  { samples: Type.Array(Ref(AlertSample), { maxItems: MAX_ALERT_SAMPLES }) },
  { $id: 'AlertSampleList', description: `The last ${MAX_ALERT_SAMPLES}, the newest first` },
)
export type AlertSampleList = Static<typeof AlertSampleList>

export const AlertSourceTest = Type.Object(
  { incident_id: IdOf('incident') },
  { $id: 'AlertSourceTest', description: 'An incident that was opened and resolved' },
)
export type AlertSourceTest = Static<typeof AlertSourceTest>

/** As its sender writes it: each format reads what it knows. */
export const SentAlerts = Type.Unsafe<unknown>({
  $id: 'SentAlerts',
  description: 'The JSON of the sender, as the type of the source says',
  examples: [
    {
      version: '4',
      alerts: [
        {
          status: 'firing',
          labels: { alertname: 'DiskFull', severity: 'critical' },
          annotations: { summary: 'The disk is full' },
        },
      ],
    },
  ],
})

export const TakenAlerts = Type.Object(
  {
    taken: Type.Integer({ minimum: 0, description: 'alerts that were read', examples: [3] }),
    opened: Type.Integer({ minimum: 0, description: 'incidents that were opened', examples: [1] }),
    resolved: Type.Integer({ minimum: 0, description: 'incidents that were resolved', examples: [0] }),
    faults: Type.Array(Type.String(), { description: 'alerts that could not be read, in words, at most 20', examples: [[]] }),
  },
  { $id: 'TakenAlerts', description: 'What became of the alerts of a request' },
)
export type TakenAlerts = Static<typeof TakenAlerts>
