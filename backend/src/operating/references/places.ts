import { isDeepStrictEqual } from 'node:util'
import { MAX_ALERT_CHANNELS, MAX_STEP_RECIPIENTS } from '@vedette/shared'
import type { NamingPolicy, NamingRule } from './store.ts'

/** Of a step: whom it names. */
export type StepField = 'channel_ids' | 'schedule_ids'
type Step = NamingPolicy['steps'][number]

/** A step that named something, by its number, and at which place; both from 0. `rest` is what else it says. */
export interface StepPlace {
  number: number
  place: number
  rest: object
}

export const without = (ids: readonly string[], id: string): string[] => ids.filter((one) => one !== id)

const isNewIn = (ids: readonly string[], id: string, most: number): boolean => !ids.includes(id) && ids.length < most

const restOf = ({ channel_ids: _channels, schedule_ids: _schedules, ...rest }: Step): object => rest

/** Which steps name it. Pure. */
export const placesIn = (steps: readonly Step[], field: StepField, id: string): StepPlace[] =>
  steps.flatMap((step, number) => {
    const place = step[field].indexOf(id)
    return place < 0 ? [] : [{ number, place, rest: restOf(step) }]
  })

/** Pure. */
export const stepsWithout = (steps: readonly Step[], field: StepField, id: string): Step[] =>
  steps.map((step) => ({ ...step, [field]: without(step[field], id) }))

/** The steps that name it again where they did, unless they say something else by now. Pure. */
export const stepsWith = (steps: readonly Step[], field: StepField, id: string, places: readonly StepPlace[]): Step[] =>
  steps.map((step, number) => {
    const named = places.find((one) => one.number === number && isDeepStrictEqual(one.rest, restOf(step)))
    if (!named || !isNewIn(step[field], id, MAX_STEP_RECIPIENTS)) return step
    return { ...step, [field]: step[field].toSpliced(named.place, 0, id) }
  })

/** The rule that notifies the channel again, unless it follows a policy by now. Pure. */
export const ruleWithChannel = (rule: NamingRule, id: string, place: number): NamingRule =>
  rule.escalation_policy_id === null && isNewIn(rule.channel_ids, id, MAX_ALERT_CHANNELS)
    ? { ...rule, channel_ids: rule.channel_ids.toSpliced(place, 0, id) }
    : rule

/** The rule that follows the policy again, unless it has another one or channels by now. Pure. */
export const ruleWithPolicy = (rule: NamingRule, id: string): NamingRule =>
  rule.escalation_policy_id === null && rule.channel_ids.length === 0 ? { ...rule, escalation_policy_id: id } : rule
