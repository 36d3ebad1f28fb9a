import { ESCALATION_WAIT_SECONDS, type ErrorDetail, type EscalationStepBody } from '@vedette/shared'
import { findMembers } from '../on-call/index.ts'
import type { Db } from '../../platform/db/index.ts'
import { lockReferences } from '../../operating/references/index.ts'
import { invalid } from '../../platform/errors.ts'
import { parseId } from '../../platform/ids.ts'
import type { StoredStep } from './store.ts'

const KINDS = [
  ['channel_ids', 'channel', 'a channel'],
  ['schedule_ids', 'schedule', 'a schedule'],
  ['user_ids', 'user', 'a member'],
] as const

/** What the schema cannot validate. Pure. */
export function stepFaults(steps: readonly EscalationStepBody[]): ErrorDetail[] {
  const isEmpty = (step: EscalationStepBody) => KINDS.every(([field]) => (step[field] ?? []).length === 0)
  const empty = steps.flatMap((step, index) =>
    isEmpty(step) ? [{ path: `steps.${index}`, message: 'must name a channel, a schedule or a member' }] : [],
  )
  if (steps.some(({ restrictions = [] }) => restrictions.length === 0)) return empty
  const message = 'must have a step without restrictions: else nobody is notified outside of them'
  return [...empty, { path: 'steps', message }]
}

/**
 * The stored form of steps; what they refer to is locked against deletion until the transaction ends. Throws validation_error that
 * names each field, the same for malformed, unknown and other organizations' ids.
 */
export async function readSteps(db: Db, organization: number, bodies: readonly EscalationStepBody[]): Promise<StoredStep[]> {
  const idsOf = (kind: (typeof KINDS)[number]) =>
    bodies.flatMap((body) => (body[kind[0]] ?? []).flatMap((text) => parseId(kind[1], text) ?? []))
  const known = {
    channel_ids: await lockReferences(db, 'channel', organization, idsOf(KINDS[0])),
    schedule_ids: await lockReferences(db, 'schedule', organization, idsOf(KINDS[1])),
    user_ids: await findMembers(db, organization, idsOf(KINDS[2])),
  }
  const faults: ErrorDetail[] = []
  const steps = bodies.map((body, index) => {
    const read = ([field, kind, noun]: (typeof KINDS)[number]): string[] =>
      (body[field] ?? []).map((text, place) => {
        const id = parseId(kind, text) ?? ''
        if (!known[field].has(id))
          faults.push({ path: `steps.${index}.${field}.${place}`, message: `is not ${noun} of this organization` })
        return id
      })
    const [channelIds, scheduleIds, userIds] = KINDS.map(read) as [string[], string[], string[]]
    const { wait_seconds: wait = ESCALATION_WAIT_SECONDS.default, restrictions = [] } = body
    return { channel_ids: channelIds, schedule_ids: scheduleIds, user_ids: userIds, wait_seconds: wait, restrictions }
  })
  faults.push(...stepFaults(bodies))
  if (faults.length > 0) throw invalid(...faults)
  return steps
}
