import { assertionTypeSpec } from '@vedette/shared/tables'
import { facts } from '../messages/facts.ts'

/** The label of a fact, or of another type of assertion. */
export const factLabel = (name: string): string => facts[name] ?? assertionTypeSpec(name)?.label ?? name

/** `2.5 %`: a fact with its unit. */
export function factText(name: string, value: number | string): string {
  const unit = assertionTypeSpec(name)?.unit
  const text = typeof value === 'number' ? String(Math.round(value * 1_000) / 1_000) : value
  return unit === undefined ? text : `${text} ${unit}`
}
