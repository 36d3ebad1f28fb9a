import type { CompositeMember, CompositeOptions, CompositeRule, Dependency, RegionState } from '@vedette/shared'
import { statusName } from '../../../lib/status.ts'
import { composites } from '../../../messages/composites.ts'

/** What a person may set, in the order of the page. */
export const MANUAL_STATES: readonly RegionState[] = ['up', 'degraded', 'down']

/** How a rule is chosen: one or all of the members, a number or a share of them, or one of those that are required. */
export const RULE_FORMS = ['any', 'all', 'count', 'percent', 'required'] as const
export type RuleForm = (typeof RULE_FORMS)[number]

/** A rule while it is edited: its number as it is typed, where its form has one. */
export interface TypedRule {
  form: RuleForm
  number: string
}

/** A monitor or server, those with a tag, or a part of a server. */
export type MemberTarget = Dependency | { type: 'entity'; server_id: string; kind: string; name: string }

/** A member with its weight as it is typed. */
export interface TypedMember {
  target: MemberTarget
  weight: string
  required: boolean
}

/** The options of a composite while they are edited. A person who changes the source of the status back loses nothing. */
export interface TypedComposite {
  isManual: boolean
  manual_status: RegionState
  members: readonly TypedMember[]
  down_when: TypedRule
  /** Undefined: degraded while any member that counts is not up. */
  degraded_when: TypedRule | undefined
}

const ANY: TypedRule = { form: 'any', number: '' }
const FIRST_NUMBERS: Readonly<Partial<Record<RuleForm, string>>> = { count: '2', percent: '50' }

export const newRule = (form: RuleForm): TypedRule => ({ form, number: FIRST_NUMBERS[form] ?? '' })

export function typedRule(rule: CompositeRule): TypedRule {
  if ('all_down' in rule) return { form: 'all', number: '' }
  if ('any_required_down' in rule) return { form: 'required', number: '' }
  if ('up_below_percent' in rule) return { form: 'percent', number: String(rule.up_below_percent) }
  return rule.down_at_least === 1 ? ANY : { form: 'count', number: String(rule.down_at_least) }
}

/** A text that is no number is sent as it is typed, and refused. */
const numberOf = (text: string): number =>
  text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : (text as unknown as number)

export function toRule({ form, number }: TypedRule): CompositeRule {
  if (form === 'all') return { all_down: true }
  if (form === 'required') return { any_required_down: true }
  if (form === 'percent') return { up_below_percent: numberOf(number) }
  return { down_at_least: form === 'any' ? 1 : numberOf(number) }
}

/** The field of the API that has the number of a rule. */
export const numberField = (form: RuleForm): string | undefined =>
  ({ count: 'down_at_least', percent: 'up_below_percent' })[form as string]

const typedMember = ({ weight = 1, required = false, ...target }: CompositeMember): TypedMember => ({
  target: target as MemberTarget,
  weight: String(weight),
  required,
})

const toMember = ({ target, weight, required }: TypedMember): CompositeMember =>
  ({
    ...target,
    ...(weight.trim() === '1' ? {} : { weight: numberOf(weight) }),
    ...(required ? { required } : {}),
  }) as CompositeMember

export function typedComposite(options: CompositeOptions): Record<keyof TypedComposite, unknown> {
  const { members = [], down_when: down, degraded_when: degraded, manual_status: manual } = options
  return {
    isManual: manual !== undefined,
    manual_status: manual ?? 'up',
    members: members.map(typedMember),
    down_when: down ? typedRule(down) : ANY,
    degraded_when: degraded && typedRule(degraded),
  } satisfies TypedComposite
}

export function toComposite(typed: TypedComposite): Record<string, unknown> {
  if (typed.isManual) return { manual_status: typed.manual_status } satisfies CompositeOptions
  return {
    members: typed.members.map(toMember),
    down_when: toRule(typed.down_when),
    ...(typed.degraded_when ? { degraded_when: toRule(typed.degraded_when) } : {}),
  } satisfies CompositeOptions
}

const { rules } = composites

/** `less than 50 % are up`. */
export function ruleText(rule: CompositeRule, name: 'down_when' | 'degraded_when'): string {
  const { form, number } = typedRule(rule)
  const words = rules[name]
  if (form === 'count') return words.atLeast(number)
  return form === 'percent' ? rules.below(number) : words[form]
}

/** An option in words; those of members have a list of their own. */
export function compositeOptionText(value: unknown, name: string): string | undefined {
  if (name === 'members') return undefined
  if (name === 'down_when' || name === 'degraded_when') return ruleText(value as CompositeRule, name)
  return typeof value === 'string' ? statusName(value) : JSON.stringify(value)
}
