import { type Static, type TSchema, Type } from 'typebox'
import { ActiveHoursList } from './active-hours.ts'
import { AlertRule } from '../alerting/alert-rules.ts'
import { CheckTypeName, KindFields, MonitorCheckFields } from './checks/definition.ts'
import { CONFIRMATIONS, MAX_KEPT_RESPONSE_BYTES, MONITOR_INTERVAL_SECONDS } from './checks/limits.ts'
import { STATS_PERIODS, type StatsPeriod } from './checks/periods.ts'
import { CheckError, CheckFacts, OutcomeName, PHASE_EXAMPLES, phaseTimes } from './checks/result.ts'
import { DependsOn } from './dependencies.ts'
import { ReclassifiedOf } from './reclassifications.ts'
import { RegionName } from './regions.ts'
import { DeletedFields } from '../wire/deleted.ts'
import { TargetDescription } from '../wire/description.ts'
import { IdOf } from '../wire/ids.ts'
import { MAX_NAME_LENGTH, MAX_TAG_LENGTH, MAX_TAGS } from '../wire/limits.ts'
import { Tags } from '../hosts/servers.ts'
import {
  MONITOR_SORTS,
  MONITOR_STATUSES,
  OUTCOMES,
  REGION_STATES,
  type RegionState,
  UNWATCHED_STATUSES,
} from '../wire/statuses.ts'
import { ManagedField } from '../wire/managed.ts'
import {
  Counts,
  LaterTimestamp,
  Nullable,
  PageAnswer,
  PageQuery,
  Ref,
  Secret,
  Timestamp,
  Untagged,
  VisibleText,
} from '../wire/wire.ts'

export const MAX_MONITOR_REGIONS = 20

const Name = VisibleText(MAX_NAME_LENGTH, { examples: ['Shop'] })
export const RegionStateName = Type.Enum([...REGION_STATES], {
  $id: 'RegionState',
  description: 'The state of a region, or of a member of a composite',
  examples: ['up'],
})
export const MonitorStatusName = Type.Enum([...MONITOR_STATUSES], { $id: 'MonitorStatus' })
const Percent = Type.Number({ minimum: 0, maximum: 100, examples: [99.98] })
const Count = Type.Integer({ minimum: 0 })
const Milliseconds = Type.Number({ minimum: 0, examples: [84.2] })

/** An object whose property names are not known in advance. */
const Named = <T extends TSchema>(value: T, options?: { examples: object[] }) =>
  Type.Unsafe<Record<string, Static<T>>>({ type: 'object', additionalProperties: value, ...options })
const Url = Type.String({ examples: ['https://shop.example.com/health'] })
const TagList = Type.Array(Type.String(), { examples: [['prod']] })
const Step = (seconds: number) => Type.Integer({ examples: [seconds] })

/** The editable definition. The backend fills in defaults: a PATCH changes only the given fields. */
const Definition = {
  name: Name,
  type: Type.Optional(Ref(CheckTypeName)),
  url: Type.Optional(MonitorCheckFields.url),
  method: Type.Optional(MonitorCheckFields.method),
  body: Type.Optional(MonitorCheckFields.body),
  interval: Type.Optional(
    Type.Integer({
      minimum: MONITOR_INTERVAL_SECONDS.minimum,
      maximum: MONITOR_INTERVAL_SECONDS.maximum,
      'x-unit': 'seconds',
      description: `seconds between checks in one region; default ${MONITOR_INTERVAL_SECONDS.default}`,
      examples: [30],
    }),
  ),
  timeout: Type.Optional(MonitorCheckFields.timeout),
  regions: Type.Optional(
    Type.Array(Type.String({ maxLength: 200 }), {
      minItems: 1,
      maxItems: MAX_MONITOR_REGIONS,
      uniqueItems: true,
      description: "ids of regions; default: the backend's own",
    }),
  ),
  headers: Type.Optional(MonitorCheckFields.headers),
  options: Type.Optional(KindFields.options),
  credentials: Type.Optional(KindFields.credentials),
  assertions: Type.Optional(MonitorCheckFields.assertions),
  tags: Type.Optional(Ref(Tags)),
  server_id: Type.Optional(Nullable(Type.String({ maxLength: 200, description: 'the server that this endpoint runs on' }))),
  depends_on: Type.Optional(Ref(DependsOn)),
  active_hours: Type.Optional(ActiveHoursList),
  ...TargetDescription.body,
  follow_redirects: Type.Optional(Type.Boolean({ description: 'of checks over HTTP: at most 5; default true' })),
  verify_tls: Type.Optional(Type.Boolean({ description: 'of checks over HTTP; default true' })),
  confirmations: Type.Optional(
    Type.Integer({
      minimum: CONFIRMATIONS.minimum,
      maximum: CONFIRMATIONS.maximum,
      description: `consecutive failed checks in a region before it counts as down; default ${CONFIRMATIONS.default}`,
    }),
  ),
}

export const CreateMonitorBody = Type.Object(Definition, {
  $id: 'CreateMonitorBody',
  description: 'Definition of a monitor',
  additionalProperties: false,
})
export type CreateMonitorBody = Static<typeof CreateMonitorBody>

export const PatchMonitorBody = Type.Object(
  { ...Definition, name: Type.Optional(Name) },
  {
    $id: 'PatchMonitorBody',
    description: 'Omitted fields stay unchanged',
    examples: [{ interval: 60, tags: ['prod', 'shop'] }],
    additionalProperties: false,
    minProperties: 1,
  },
)
export type PatchMonitorBody = Static<typeof PatchMonitorBody>

/** 24 hourly mean response times, oldest first; null for an hour without a response. */
const Sparkline = Type.Object({
  from: Timestamp,
  step_seconds: Step(3_600),
  avg_response_ms: Type.Array(Nullable(Milliseconds)),
})

/** 90 UTC days, oldest first, today last; null for a day without a conclusive check. */
const Uptime = Type.Object({
  from: Timestamp,
  step_seconds: Step(86_400),
  uptime_percent: Type.Array(Nullable(Percent)),
})

const ItemFields = {
  id: IdOf('monitor'),
  name: Type.String({ examples: ['Shop'] }),
  type: Ref(CheckTypeName),
  url: Type.Optional(Url),
  method: Type.Optional(Type.String({ description: 'of checks over HTTP', examples: ['GET'] })),
  interval: Type.Optional(Type.Integer({ examples: [30] })),
  status: Ref(MonitorStatusName),
  flapping: Type.Boolean({ description: 'the status alternates; nobody is notified of each change' }),
  regions: Type.Optional(Type.Array(RegionName, { examples: [['local']] })),
  tags: TagList,
  /** Over 7 days. */
  uptime_7d: Percent,
  avg_response_ms: Milliseconds,
  last_checked_at: Nullable(Timestamp),
  created_at: Timestamp,
}

export const NextPing = Type.Object(
  {
    expected_at: { ...LaterTimestamp, description: 'when the job should send it' },
    due_by: { ...LaterTimestamp, description: 'the end of the grace: without a ping by then the monitor goes down' },
    late: Type.Boolean({ description: 'true from `expected_at` on, while the grace lasts', examples: [false] }),
  },
  { $id: 'NextPing', description: 'The ping that a heartbeat waits for' },
)
export type NextPing = Static<typeof NextPing>

export const MonitorItem = Type.Object(
  {
    ...ItemFields,
    sparkline: Type.Optional(Sparkline),
    uptime: Type.Optional(Uptime),
    p95_response_ms: Type.Optional(
      Type.Union([Milliseconds, Type.Null()], {
        description: 'with `include=uptime`: over the last seven days, within 1 %; null without a response',
      }),
    ),
    status_by_region: Type.Optional(
      Type.Unsafe<Record<string, RegionState | null>>({
        type: 'object',
        additionalProperties: Type.Union([Ref(RegionStateName), Type.Null()]),
        description:
          'with `include=uptime`: the confirmed state of each region; null without a conclusive check for three intervals',
      }),
    ),
    facts: Type.Optional({ ...Ref(CheckFacts), description: 'with `include=facts`: of the newest check' }),
    certificate_expires_at: Type.Optional({ ...Nullable(LaterTimestamp), description: 'with `include=facts`' }),
    next_ping: Type.Optional(
      Type.Union([Ref(NextPing), Type.Null()], { description: 'with `include=facts`: as in the details; null for other kinds' }),
    ),
  },
  {
    $id: 'MonitorItem',
    description: 'A monitor in a list; `include` adds `sparkline`, and `uptime` and `facts` with their related fields',
  },
)
export type MonitorItem = Static<typeof MonitorItem>

export const MonitorList = Type.Object(
  { monitors: Type.Array(Ref(MonitorItem)), ...PageAnswer, counts: Counts(MONITOR_STATUSES) },
  { $id: 'MonitorList', description: 'A page of monitors' },
)

/** A stored check. Times are null for phases that did not happen. */
const CheckFields = {
  checked_at: Timestamp,
  region: RegionName,
  outcome: Ref(OutcomeName),
  status_code: Nullable(Type.Integer({ examples: [200] })),
  response_ms: Nullable(Milliseconds),
  ...phaseTimes(Nullable(Milliseconds), PHASE_EXAMPLES),
  error: Type.Union([Ref(CheckError), Type.Null()], { examples: [null] }),
  facts: Ref(CheckFacts),
  address: Nullable(Type.String({ examples: ['192.0.2.80'] })),
}
export const Check = Type.Object(
  {
    ...CheckFields,
    response: Type.Optional(
      Type.String({
        maxLength: MAX_KEPT_RESPONSE_BYTES,
        description:
          'with `include=response`: the body of the response to a failed check whose monitor has `max_body_bytes` above 1,024; kept for 7 days, secrets masked',
      }),
    ),
  },
  { $id: 'Check', description: 'A stored check; times are milliseconds, null for phases that did not happen' },
)
export type Check = Static<typeof Check>

/** The result of a test check, which is not stored. */
export const CheckTrial = Type.Object(
  {
    ...CheckFields,
    http_version: Nullable(Type.String({ examples: ['1.1'] })),
    certificate_expires_at: Nullable(LaterTimestamp),
  },
  { $id: 'CheckTrial', description: 'The result of a test check, which is not stored' },
)
export type CheckTrial = Static<typeof CheckTrial>

const MemberFields = {
  id: Type.String({ description: 'of the monitor, the server, or the entity', examples: ['mon_01jd3ms04gfj58ec3nxe0mqv4k'] }),
  name: Type.String({ examples: ['Shop'] }),
  kind: Nullable(Type.String({ description: 'of a monitor, or of an entity', examples: ['http'] })),
  server_id: Nullable(Type.String({ description: 'of an entity' }), null),
}

/** What a member of a composite is now. */
export const CompositeMemberState = Type.Object(
  {
    type: Type.Enum(['monitor', 'server', 'entity']),
    ...MemberFields,
    status: Ref(RegionStateName),
    outside: Type.Union([Type.Enum([...UNWATCHED_STATUSES, 'maintenance', 'not_checked']), Type.Null()], {
      description: 'why the member does not count',
      examples: [null],
    }),
    weight: Type.Integer({ examples: [1] }),
    required: Type.Boolean({ examples: [false] }),
  },
  { $id: 'CompositeMemberState', description: 'A monitor, server or entity that a composite stands for, each once' },
)
export type CompositeMemberState = Static<typeof CompositeMemberState>

const CompositeState = Type.Object(
  {
    reason: Type.String({ description: 'what the members make of the status now', examples: ['1 of 3 members down: Shop'] }),
    members: Type.Array(Ref(CompositeMemberState)),
    members_total: Type.Integer({ description: 'more than the list has where tags stand for more than 500', examples: [3] }),
  },
  { description: 'of a composite' },
)

/** `alert_rules`: enabled rules that apply to this monitor; `recent_checks`: the 20 newest. */
export const MonitorDetails = Type.Object(
  {
    ...ItemFields,
    timeout: Type.Optional(Type.Integer({ examples: [10] })),
    headers: Type.Optional(Named(Secret(), { examples: [{ Authorization: 'Bearer abc' }] })),
    body: Type.Optional(Nullable(Secret(), null)),
    options: Named(Type.Unknown()),
    credentials: Type.Optional(Named(Secret(), { examples: [{}] })),
    ping_url: Type.Optional(Secret({ description: 'of a heartbeat, for callers who may change it: where its job sends pings' })),
    next_ping: Type.Optional(
      Type.Union([Ref(NextPing), Type.Null()], {
        description: 'of a heartbeat; null before its first ping, while it is paused, and where its calendar has ended',
      }),
    ),
    composite: Type.Optional(CompositeState),
    assertions: Type.Optional(MonitorCheckFields.assertions),
    server_id: Nullable(Type.String()),
    depends_on: Ref(DependsOn),
    active_hours: ActiveHoursList,
    ...TargetDescription.answer,
    follow_redirects: Type.Optional(Type.Boolean({ examples: [true] })),
    verify_tls: Type.Optional(Type.Boolean({ examples: [true] })),
    confirmations: Type.Optional(Type.Integer({ examples: [2] })),
    managed: ManagedField,
    updated_at: Timestamp,
    status_since: Timestamp,
    certificate_expires_at: Nullable(LaterTimestamp),
    reason: Type.Optional(Type.String({ description: 'while it is `idle`: why' })),
    active_at: Type.Optional(Type.String({ format: 'date-time', description: 'while it is `idle`: when it becomes active' })),
    alert_rules: Type.Array(Ref(AlertRule)),
    recent_checks: Type.Array(Ref(Check)),
  },
  {
    $id: 'MonitorDetails',
    description: 'A monitor with the enabled rules that apply to it and its 20 newest checks',
  },
)
export type MonitorDetails = Static<typeof MonitorDetails>

const DeletedMonitor = Type.Object({
  id: IdOf('monitor'),
  name: ItemFields.name,
  url: Url,
  tags: TagList,
  ...DeletedFields,
})

export const DeletedMonitorList = Type.Object(
  { monitors: Type.Array(DeletedMonitor), ...PageAnswer },
  { $id: 'DeletedMonitorList', description: 'A page of deleted monitors' },
)
export type DeletedMonitorList = Static<typeof DeletedMonitorList>

export const MonitorListQuery = Type.Object(
  {
    ...PageQuery,
    status: Type.Optional(Type.Enum([...MONITOR_STATUSES], { description: 'Only monitors with this status' })),
    q: Type.Optional(Type.String({ minLength: 1, maxLength: 200, description: 'Part of the name or URL, case-insensitive' })),
    tag: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: MAX_TAG_LENGTH }), {
        maxItems: MAX_TAGS,
        description: 'Only monitors with this tag; repeat it to require several tags',
      }),
    ),
    untagged: Untagged,
    sort: Type.Optional(
      Type.Enum(
        MONITOR_SORTS.flatMap((name) => [name, `-${name}` as const]),
        {
          description:
            'Order of the list, descending with a leading `-`; the default is newest first. `status`: the worst first (down, degraded, not checked yet, up, idle, paused), then by name. `uptime` and `response_ms`: of the last seven days, as in the list; monitors without checks last',
        },
      ),
    ),
    include: Type.Optional(
      Type.String({
        pattern: '^(sparkline|uptime|facts|counts)(,(sparkline|uptime|facts|counts)){0,3}$',
        'x-form': 'sparkline, uptime, facts or counts, or several of them separated by commas',
        description:
          'Adds fields, separated by commas: to each item `sparkline` (24 hourly mean response times), `uptime` (90 daily values, the 95th percentile of response times and the state of each region) and `facts` (what the newest check found, the end of the certificate and the next ping), to the list `counts` by status',
      }),
    ),
  },
  { additionalProperties: false },
)

/** Times cover checks with a response; without checks `uptime_percent` is 100 and times are 0. */
const StatsFields = {
  uptime_percent: Percent,
  avg_response_ms: Milliseconds,
  p95_response_ms: Milliseconds,
  p99_response_ms: Milliseconds,
  total_checks: { ...Count, examples: [2_880] },
  failed_checks: { ...Count, examples: [1] },
}
const perStep = <T extends TSchema>(schema: T) => Type.Array(Type.Union([schema, Type.Null()]))

export const MonitorStats = Type.Object(
  {
    ...StatsFields,
    by_region: Named(Type.Object({ avg_response_ms: Milliseconds, uptime_percent: Percent }), {
      examples: [{ local: { avg_response_ms: 84.2, uptime_percent: 99.98 } }],
    }),
    series: Type.Optional(
      Type.Object({
        step_seconds: Step(3_600),
        from: Timestamp,
        avg_response_ms: perStep(Milliseconds),
        p95_response_ms: perStep(Milliseconds),
        uptime_percent: perStep(Percent),
        phases: Type.Optional(
          Type.Object(phaseTimes(perStep(Milliseconds)), {
            description:
              'with `include=phases`: the mean of each phase over the single checks with a response, which are kept for 35 days; a phase that did not happen counts as 0',
          }),
        ),
      }),
    ),
    reclassified: ReclassifiedOf('the window'),
  },
  {
    $id: 'MonitorStats',
    description: 'Stats of checks. Times cover checks with a response; without checks uptime is 100 and times are 0',
  },
)
export type MonitorStats = Static<typeof MonitorStats>

const Instant = (description: string) => Type.Optional(Type.String({ format: 'date-time', description }))
const Range = { from: Instant('Start of the range, inclusive'), to: Instant('End of the range, exclusive') }

/** Either `period`, or `from` and `to` (at most 400 days). */
export const MonitorStatsQuery = Type.Object(
  {
    period: Type.Optional(
      Type.Enum(Object.keys(STATS_PERIODS) as StatsPeriod[], {
        description: 'Period that ends now; default 24h',
      }),
    ),
    ...Range,
    region: Type.Optional(Type.String({ minLength: 1, maxLength: 200, description: 'Only checks of the region with this id' })),
    points: Type.Optional(
      Type.Integer({ minimum: 10, maximum: 1_000, description: 'Adds `series` with at most this many points' }),
    ),
    include: Type.Optional(Type.Enum(['phases'], { description: 'Adds the phases of the response time to `series`' })),
  },
  { additionalProperties: false },
)

export const CheckList = Type.Object(
  { checks: Type.Array(Ref(Check)), ...PageAnswer },
  { $id: 'CheckList', description: 'A page of checks, newest first' },
)

export const CheckListQuery = Type.Object(
  {
    ...PageQuery,
    ...Range,
    region: Type.Optional(Type.String({ minLength: 1, maxLength: 200, description: 'Only checks of the region with this id' })),
    status: Type.Optional(Type.Enum([...OUTCOMES], { description: 'Only checks with this outcome' })),
    include: Type.Optional(
      Type.Enum(['response'], { description: 'Adds kept responses of failed checks; `limit` is then at most 20' }),
    ),
  },
  { additionalProperties: false },
)

/** One status transition of a monitor; `reason` is one short line. */
export const Transition = Type.Object(
  {
    at: Timestamp,
    from_status: Ref(MonitorStatusName),
    to_status: { ...Ref(MonitorStatusName), examples: ['paused'] },
    reason: Type.String({ examples: ['paused'] }),
  },
  { $id: 'Transition', description: 'One status transition of a monitor' },
)
export type Transition = Static<typeof Transition>

export const TransitionList = Type.Object(
  { transitions: Type.Array(Ref(Transition)), ...PageAnswer },
  { $id: 'TransitionList', description: 'A page of transitions, newest first' },
)
export const TransitionListQuery = Type.Object({ ...PageQuery, ...Range }, { additionalProperties: false })
