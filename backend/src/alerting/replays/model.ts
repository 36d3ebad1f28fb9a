import type { QuietTime, ReplayNotification } from '@vedette/shared'
import type { RuleColumns, StatusStep, Subject, WindowRow } from '../alerts/index.ts'
import type { SubjectEvidence } from '../incidents/index.ts'
import type { PolicyRow } from '../../notifying/escalation/index.ts'
import type { Rota } from '../../notifying/on-call/index.ts'

/** A rule as a set has it; those of SLOs have targets that are neither monitors nor servers. */
export type ReplayRule = Omit<RuleColumns, 'target_type'> & {
  id: string
  target_type: RuleColumns['target_type'] | 'slo' | 'source'
  /**
   * Undefined: as it is configured. Of a new one, and of one with another condition, duration or target, no recorded incidents count;
   * one that is switched on has only those from when it was on before.
   */
  changed?: 'new' | 'redefined' | 'enabled'
}

/** What a period is replayed with. */
export interface RuleSet {
  rules: ReplayRule[]
  /** The oldest first. */
  policies: PolicyRow[]
  schedules: (Rota & { id: string })[]
  windows: WindowRow[]
  /** By user. */
  quietTimes: Map<string, QuietTime>
}

export type Target = Subject & { name: string; interval_seconds: number | null; is_composite?: boolean }

export interface Person {
  user_id: string
  email: string
  name: string | null
  is_owner: boolean
  /** The organization refuses them until they set up a second factor. */
  is_refused: boolean
  is_verified: boolean
  channel_ids: string[]
  browser_ids: string[]
}

export interface Channel {
  id: string
  name: string
  type: string
  enabled: boolean
  /** The types of events that a webhook accepts; null: all. */
  events: string[] | null
  /** Whose contact method it is; null: a channel of the organization. */
  user_id: string | null
}

/** What somebody did to an incident. */
export interface Action {
  type: 'acknowledged' | 'resolved'
  atMs: number
  /** Of an acknowledgement: when the incident opens again by it. */
  untilMs: number | null
}

/** An incident that really was. */
export interface RecordedIncident {
  rule_id: string
  target_type: string
  target_id: string
  target_name: string
  /** Which of the series of its rule. */
  series: string | null
  metric: string | null
  /** Of an alert source, whose alerts have severities and tags of their own; null for rules. */
  external?: { severity: ReplayRule['severity']; tags: readonly string[] } | null
  openedAtMs: number
  resolvedAtMs: number | null
  actions: Action[]
  /** Of servers that fell silent together behind a tag. */
  storyId: string | null
  evidence: SubjectEvidence
}

/** What was found on servers. */
export interface HealthHistory {
  /** The period may begin before: what was found then is not stored. */
  knownFromMs: number
  /** `<code> <id of the server>`: `down` while something is found, oldest first; the first one stood at `knownFromMs`. */
  steps: ReadonlyMap<string, readonly StatusStep[]>
}

/** What happened, and who is there. */
export interface World {
  fromMs: number
  toMs: number
  targets: Target[]
  /** Of monitors by their id, oldest first; the first one stood at the beginning. */
  statuses: ReadonlyMap<string, readonly StatusStep[]>
  /** Of servers, where a set changes a rule on a finding. */
  health?: HealthHistory
  recorded: RecordedIncident[]
  /** In the order in which they joined. */
  people: ReadonlyMap<string, Person>
  channels: ReadonlyMap<string, Channel>
  offlineMs: number
  acknowledgeAfterMs: number | null
}

/** An incident of a set. */
export interface ReplayedIncident {
  rule: ReplayRule
  target: { type: string; id: string; name: string; subject: Target | undefined; tags?: readonly string[] }
  openedAtMs: number
  /** Null: not within the period. */
  resolvedAtMs: number | null
  actions: readonly Action[]
  flapping: readonly { fromMs: number; toMs: number }[]
  /** As it was recorded, of servers that fell silent together behind a tag. */
  storyId: string | null
  /** As it was recorded. */
  evidence?: SubjectEvidence
  /** Incidents of the same rule and target in the hour before. */
  before: number
}

export interface Sent {
  incident: ReplayedIncident
  atMs: number
  reason: ReplayNotification['reason']
  step: number | null
  lane: Lane
  heldUntilMs: number | null
  atNight: boolean
}

/** A channel, a contact method or a browser. */
export interface Lane {
  id: string
  userId: string | null
  channel: Channel | undefined
  via: string
}
