import type { Db, RestorableTable } from '../../platform/db/index.ts'
import {
  placesIn,
  ruleWithChannel,
  ruleWithPolicy,
  type StepField,
  type StepPlace,
  stepsWith,
  stepsWithout,
  without,
} from './places.ts'
import * as store from './store.ts'

/** Where others named something that was deleted. */
export interface References {
  /** Rules that notified the channel, and at which place. */
  rules?: { id: string; place: number }[]
  /** Rules that followed the policy. */
  followers?: string[]
  /** Steps of policies that named the channel or schedule. */
  steps?: (StepPlace & { policy_id: string })[]
}

/** Takes a channel that is deleted out of rules and of steps of policies. */
export async function takeOutChannel(db: Db, organization: number, id: string): Promise<References> {
  const rules = await store.lockRulesOfChannel(db, organization, id)
  const left = rules.map((rule) => ({ ...rule, channel_ids: without(rule.channel_ids, id) }))
  await store.updateNamingRules(db, organization, left)
  const places = rules.map((rule) => ({ id: rule.id, place: rule.channel_ids.indexOf(id) }))
  return { rules: places, steps: await takeOutOfSteps(db, organization, 'channel_ids', id) }
}

/** Takes a schedule that is deleted out of steps of policies. */
export const takeOutSchedule = async (db: Db, organization: number, id: string): Promise<References> => ({
  steps: await takeOutOfSteps(db, organization, 'schedule_ids', id),
})

/** Takes a policy that is deleted out of deleted rules. Others that name it prevent its deletion. */
export async function takeOutPolicy(db: Db, organization: number, id: string): Promise<References> {
  const rules = await store.lockRulesOfPolicy(db, organization, id)
  const left = rules.map((rule) => ({ ...rule, escalation_policy_id: null }))
  await store.updateNamingRules(db, organization, left)
  return { followers: rules.map((rule) => rule.id) }
}

async function takeOutOfSteps(db: Db, organization: number, field: StepField, id: string) {
  const policies = await store.lockPoliciesNaming(db, organization, field, id)
  const left = policies.map((policy) => ({ ...policy, steps: stepsWithout(policy.steps, field, id) }))
  await store.updateNamingPolicies(db, organization, left)
  return policies.flatMap((policy) => placesIn(policy.steps, field, id).map((place) => ({ ...place, policy_id: policy.id })))
}

/** Names what is restored where others named it, as far as what they say by now allows it. */
export async function giveBackReferences(
  db: Db,
  organization: number,
  table: RestorableTable,
  id: string,
  { rules = [], followers = [], steps = [] }: References,
): Promise<void> {
  const places = new Map(rules.map((rule) => [rule.id, rule.place]))
  const naming = await store.lockRulesAmong(db, organization, [...places.keys(), ...followers])
  const withIt = (rule: store.NamingRule) => {
    const place = places.get(rule.id)
    return place === undefined ? ruleWithPolicy(rule, id) : ruleWithChannel(rule, id, place)
  }
  await store.updateNamingRules(db, organization, naming.map(withIt))
  const field = table === 'schedule' ? 'schedule_ids' : 'channel_ids'
  const ofPolicy = Map.groupBy(steps, (step) => step.policy_id)
  const policies = await store.lockPoliciesAmong(db, organization, [...ofPolicy.keys()])
  const changed = policies.map((policy) => ({
    ...policy,
    steps: stepsWith(policy.steps, field, id, ofPolicy.get(policy.id) ?? []),
  }))
  await store.updateNamingPolicies(db, organization, changed)
}
