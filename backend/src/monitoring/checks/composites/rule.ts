import { type CompositeRule, DEGRADED_BY_DEFAULT, type RegionState, type UnwatchedStatus } from '@vedette/shared'

/** Why a member has no say: it counts neither as up nor as down. */
export type Outside = UnwatchedStatus | 'maintenance' | 'not_checked'

/** A member with its state now. */
export interface CountedMember {
  name: string
  status: RegionState
  outside: Outside | null
  weight: number
  required: boolean
}

export interface CompositeRules {
  down_when: CompositeRule
  degraded_when?: CompositeRule | undefined
}

/** What the members of a composite make of it. */
export interface DerivedComposite {
  status: RegionState
  /** One short line. */
  reason: string
}

/** Names in a reason. */
const NAMED = 5

/** The status by the members that count; undefined where none does: the status then stays. Pure. */
export function deriveCompositeStatus(
  { down_when, degraded_when }: CompositeRules,
  members: readonly CountedMember[],
): DerivedComposite | undefined {
  const counted = members.filter(({ outside }) => outside === null)
  if (counted.length === 0) return undefined
  const isDown = ({ status }: CountedMember) => status === 'down'
  const isNotUp = ({ status }: CountedMember) => status !== 'up'
  if (holds(down_when, counted, isDown)) return { status: 'down', reason: reasonOf(counted.filter(isDown), counted, 'down') }
  if (holds(degraded_when ?? DEGRADED_BY_DEFAULT, counted, isNotUp))
    return { status: 'degraded', reason: reasonOf(counted.filter(isNotUp), counted, 'not up') }
  return { status: 'up', reason: `${counted.length - counted.filter(isNotUp).length} of ${counted.length} members up` }
}

/** Whether the rule holds; `isBad`: which members it looks at. Pure. */
function holds(rule: CompositeRule, counted: readonly CountedMember[], isBad: (member: CountedMember) => boolean): boolean {
  const bad = counted.filter(isBad)
  if ('down_at_least' in rule) return bad.length >= rule.down_at_least
  if ('any_required_down' in rule) return bad.some(({ required }) => required)
  if ('all_down' in rule) return bad.length === counted.length
  const weightOf = (members: readonly CountedMember[]) => members.reduce((sum, { weight }) => sum + weight, 0)
  const [all, lost] = [weightOf(counted), weightOf(bad)]
  // Not a division: 1 of 3 members is no exact percentage.
  return (all - lost) * 100 < rule.up_below_percent * all
}

function reasonOf(bad: readonly CountedMember[], counted: readonly CountedMember[], what: string): string {
  const names = bad.slice(0, NAMED).map(({ name }) => name)
  const more = bad.length > NAMED ? ` and ${bad.length - NAMED} more` : ''
  return `${bad.length} of ${counted.length} members ${what}${names.length === 0 ? '' : `: ${names.join(', ')}${more}`}`
}
