import type { PageLink } from '@vedette/shared'

/** What people say about a rule. */
export interface RuleDocumentation {
  description: string | null
  runbook_url: string | null
}

/** The same of a monitor or server. */
export interface TargetDocumentation extends RuleDocumentation {
  responsible: string | null
  links: PageLink[]
}

const hasAny = (one: object): boolean =>
  Object.values(one).some((value) => (Array.isArray(value) ? value.length > 0 : value !== null))

/** For the evidence of an incident: what people said when it opened, or nothing where they said nothing. Pure. */
export function documentationOf(
  rule: RuleDocumentation | undefined,
  target: TargetDocumentation | undefined,
): { documentation?: { rule?: RuleDocumentation; target?: TargetDocumentation } } {
  const ofRule = rule && { description: rule.description, runbook_url: rule.runbook_url }
  const documentation = {
    ...(ofRule && hasAny(ofRule) && { rule: ofRule }),
    ...(target && hasAny(target) && { target }),
  }
  return Object.keys(documentation).length === 0 ? {} : { documentation }
}
