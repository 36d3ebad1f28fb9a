import { createIncidents, wasReal } from './incidents.ts'
import type { ReplayedIncident, ReplayRule, RuleSet, Sent, World } from './model.ts'
import { createRecipients } from './recipients.ts'
import { type Member, simulate } from './simulate.ts'
import { storiesOf } from './stories.ts'
import { createSuppression } from './suppression.ts'

/** Incidents and notifications of one set. */
export const MAX_INCIDENTS = 50_000
export const MAX_SENT = 500_000
/** So many incidents take well below 10 ms. */
const AT_ONCE = 200

export interface SetResult {
  incidents: number
  byDependency: number
  byMaintenance: number
  neverNotified: number
  sent: Sent[]
  limits: { rule: ReplayRule; reason: string }[]
}

/** More would have happened than one replay computes. */
export class TooMuch extends Error {}

/** What a set would have done; `rest` is called now and then, so that other work goes on. Without it pure. */
export async function replay(world: World, set: RuleSet, rest: () => Promise<void>): Promise<SetResult> {
  const incidentsOf = createIncidents(world)
  const result: SetResult = { incidents: 0, byDependency: 0, byMaintenance: 0, neverNotified: 0, sent: [], limits: [] }
  const open = await createSuppression(world, set, rest)
  const context = { set, recipients: await createRecipients(world, set, rest), toMs: world.toMs }
  const recorded = Map.groupBy(world.recorded, ({ rule_id: rule, target_id: target }) => `${rule} ${target}`)
  const members: Member[] = []
  for (const rule of set.rules) {
    await rest()
    const { incidents, limit } = incidentsOf(rule)
    if (limit !== undefined) result.limits.push({ rule, reason: limit })
    result.incidents += incidents.length
    if (result.incidents > MAX_INCIDENTS) throw new TooMuch(`more than ${MAX_INCIDENTS} incidents`)
    for (const [index, one] of incidents.entries()) {
      if (index % AT_ONCE === AT_ONCE - 1) await rest()
      const { atMs, byDependency, byMaintenance } = open(one)
      if (byDependency) result.byDependency += 1
      else if (byMaintenance) result.byMaintenance += 1
      if (atMs === undefined) result.neverNotified += 1
      const isReal = atMs === undefined || wasReal(recorded.get(`${one.rule.id} ${one.target.id}`) ?? [], one)
      members.push({ incident: isReal ? one : acknowledged(one, atMs, world), firstMs: atMs })
    }
  }
  for (const [index, story] of storiesOf(members).entries()) {
    if (index % AT_ONCE === AT_ONCE - 1) await rest()
    for (const sent of simulate(context, story)) result.sent.push(sent)
    if (result.sent.length > MAX_SENT) throw new TooMuch(`more than ${MAX_SENT} notifications`)
  }
  result.sent.sort((one, other) => one.atMs - other.atMs)
  return result
}

/** An incident that was not really open, as it is acknowledged by the option of the replay. */
function acknowledged(incident: ReplayedIncident, firstMs: number, { acknowledgeAfterMs }: World): ReplayedIncident {
  if (acknowledgeAfterMs === null) return incident
  return { ...incident, actions: [{ type: 'acknowledged', atMs: firstMs + acknowledgeAfterMs, untilMs: null }] }
}
