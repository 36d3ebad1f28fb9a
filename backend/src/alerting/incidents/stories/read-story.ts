import {
  HOUR_MS,
  type IncidentStatus,
  type IncidentStory,
  MAX_AFFECTED,
  SEVERITIES,
  type StoryEventKind,
  toTimestamp,
} from '@vedette/shared'
import type { Tenant } from '../../../access/auth/index.ts'
import type { Db } from '../../../platform/db/index.ts'
import { notFound } from '../../../platform/errors.ts'
import { encodeId } from '../../../platform/ids.ts'
import type { Clock } from '../../../platform/time/clock.ts'
import { changeText, type Occurrence, toTimeline } from './timeline.ts'
import { toTarget } from './target.ts'
import * as store from './timeline-store.ts'

/** What changed in this time before may be why. */
const BEFORE_MS = HOUR_MS

/** All incidents with the cause of one, on one line of time. Five statements, however many they are. Throws not_found. */
export async function readStory({ db, clock }: { db: Db; clock: Clock }, tenant: Tenant, id: string): Promise<IncidentStory> {
  const organization = tenant.number
  const own = await store.findStoryOf(db, organization, id)
  const members = own ? await store.listMembers(db, organization, id, own.story_id) : []
  const [first] = members
  if (!own || !first) throw notFound()
  const endMs = Math.max(...members.map(({ resolved_at: at }) => at?.getTime() ?? Infinity))
  const nowMs = clock.now()
  const span = { from: new Date(first.at.getTime() - BEFORE_MS), to: new Date(Math.min(endMs, nowMs)) }
  const incidentIds = members.map((one) => one.id)
  const [steps, channels, surrounding] = await Promise.all([
    store.listSteps(db, organization, incidentIds),
    store.listChannels(db, organization, [...new Set(members.flatMap(({ notified_channel_ids: ids }) => ids))]),
    store.listSurroundingEvents(db, organization, {
      ...span,
      now: new Date(nowMs),
      incidentIds,
      targetIds: [...new Set(members.map(({ target_id: target }) => target))],
      tags: [...new Set(members.flatMap(({ tags }) => tags))],
    }),
  ])
  const status = statusOf(members)
  const targets = [...new Map(members.map((one) => [one.external ? (one.series ?? '') : one.target_id, one])).values()]
  return {
    incident_id: encodeId('incident', id),
    story_id: own.story_id && encodeId('incident', own.story_id),
    title: titleOf(members, targets),
    cause: own.cause,
    status,
    severity: SEVERITIES.findLast((severity) => members.some((one) => one.severity === severity)) ?? own.severity,
    opened_at: toTimestamp(first.at.getTime()),
    resolved_at: status === 'resolved' ? toTimestamp(endMs) : null,
    incident_count: first.total,
    affected: {
      total: targets.length,
      targets: targets.slice(0, MAX_AFFECTED).map(toTarget),
    },
    notified: channels.map(({ name, type, person }) => ({ name: person ?? name, type })),
    ...toTimeline([
      ...steps.map((step) => toOccurrence(step, members)),
      ...members.flatMap((member) => notifiedOf(member, channels, steps)),
      ...restartsOf(targets, span),
      ...surrounding.map(({ at, kind, text, target_name: targetName, url }) => ({
        atMs: at.getTime(),
        kind,
        text: kind === 'change' ? changeText(text) : text,
        targetName,
        actor: null,
        url,
      })),
    ]),
  }
}

function statusOf(members: readonly store.StoryMember[]): IncidentStatus {
  const order = ['open', 'acknowledged'] as const
  return order.find((status) => members.some((one) => one.status === status)) ?? 'resolved'
}

/** Of silent servers behind a tag how many they are, else what happened first. */
function titleOf(members: readonly store.StoryMember[], targets: readonly store.StoryMember[]): string {
  const cause = members.find((one) => one.cause?.kind === 'shared_tag')?.cause
  if (cause) return targets.every((one) => one.target_type === 'server') ? `${targets.length} ${cause.text}` : cause.text
  return members[0]?.summary ?? ''
}

function toOccurrence(
  { incident_id: id, at, type, message, actor }: store.StoryStep,
  members: readonly store.StoryMember[],
): Occurrence {
  const targetName = members.find((one) => one.id === id)?.target_name ?? null
  return { atMs: at.getTime(), kind: type as StoryEventKind, text: message, targetName, actor, url: null }
}

/** The channels of the rule of an incident; the steps of a policy are in its timeline. */
function notifiedOf(
  { id, at, target_name: targetName, escalation_policy_id: policyId, notified_channel_ids: ids }: store.StoryMember,
  channels: readonly store.NotifiedChannel[],
  steps: readonly store.StoryStep[],
): Occurrence[] {
  const named = channels.filter((channel) => ids.includes(channel.id))
  if (policyId !== null || named.length === 0) return []
  const unsilenced = steps.find((step) => step.incident_id === id && step.type === 'unsilenced')
  const text = named.map(({ name, type, person }) => `${person ?? name} (${type})`).join(', ')
  return [{ atMs: (unsilenced?.at ?? at).getTime(), kind: 'notified', text, targetName, actor: null, url: null }]
}

/** The last restart of each server, if it was in the span. */
const restartsOf = (targets: readonly store.StoryMember[], { from, to }: { from: Date; to: Date }): Occurrence[] =>
  targets.flatMap(({ booted_at: booted, target_name: targetName }): Occurrence[] => {
    const atMs = booted === null ? NaN : Date.parse(booted)
    if (!(atMs >= from.getTime() && atMs <= to.getTime())) return []
    return [{ atMs, kind: 'restart', text: 'restarted', targetName, actor: null, url: null }]
  })
