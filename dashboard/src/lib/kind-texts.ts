import { checkKindSpec } from '@vedette/shared/tables'
import { kindTexts as kinds } from '../messages/kinds.ts'

/**
 * Texts of kinds of checks in the language of the page. The descriptions in the shared tables are the English ones, and stand in
 * for what is not translated; the API's name stands in for what this page does not know.
 */
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
