import { assertionTypeSpec, checkKindSpec } from '@vedette/shared/tables'
import { kindTexts } from '../messages/kinds.ts'

/**
 * Texts of kinds of checks in the language of the page. The descriptions in the shared tables are the English ones, and stand in
 * for what is not translated; the API's name stands in for what this page does not know.
 */
const { kinds, facts } = kindTexts

export const kindLabel = (type: string): string => kinds[type]?.label ?? checkKindSpec(type)?.label ?? type

export const kindDescription = (type: string): string | undefined => kinds[type]?.description ?? checkKindSpec(type)?.description

/** The label and hint of an option or a credential. */
export function fieldTexts(type: string, name: string): { label: string; hint?: string } {
  const spec = checkKindSpec(type)
  const { label, hint } = spec?.options[name] ?? spec?.credentials[name] ?? { label: name }
  const texts = kinds[type]?.fields?.[name]
  const ownHint = texts?.hint ?? hint
  return { label: texts?.label ?? label, ...(ownHint === undefined ? {} : { hint: ownHint }) }
}

/** The label of a fact, or of another type of assertion. */
export const factLabel = (name: string): string => facts[name] ?? assertionTypeSpec(name)?.label ?? name

/** `2.5 %`: a fact with its unit. */
export function factText(name: string, value: number | string): string {
  const unit = assertionTypeSpec(name)?.unit
  const text = typeof value === 'number' ? String(Math.round(value * 1_000) / 1_000) : value
  return unit === undefined ? text : `${text} ${unit}`
}
