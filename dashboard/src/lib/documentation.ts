import type { PageLink } from '@vedette/shared'
import { newKey } from './rows.ts'

/** What people say about a monitor, a server or a rule, which has the first two alone. */
export interface Documentation {
  description: string | null
  runbook_url: string | null
  responsible?: string | null
  links?: readonly PageLink[]
}

/** The same while it is edited. */
export interface DocumentationInput {
  description: string
  runbookUrl: string
  responsible: string
  links: readonly (PageLink & { key: number })[]
}

export const NO_DOCUMENTATION: DocumentationInput = { description: '', runbookUrl: '', responsible: '', links: [] }

export const toDocumentationInput = ({
  description,
  runbook_url,
  responsible = null,
  links = [],
}: Documentation): DocumentationInput => ({
  description: description ?? '',
  runbookUrl: runbook_url ?? '',
  responsible: responsible ?? '',
  links: links.map(({ name, url }) => ({ key: newKey(), name, url })),
})

const textOrNull = (text: string): string | null => (text.trim() === '' ? null : text)
const lineOrNull = (text: string): string | null => textOrNull(text.trim())

/** Of a rule. */
export const toRuleDocumentation = ({ description, runbookUrl }: DocumentationInput) => ({
  description: textOrNull(description),
  runbook_url: lineOrNull(runbookUrl),
})

/** Of a monitor or server. */
export const toTargetDocumentation = (input: DocumentationInput) => ({
  ...toRuleDocumentation(input),
  responsible: lineOrNull(input.responsible),
  links: input.links.map(({ name, url }) => ({ name: name.trim(), url: url.trim() })),
})

/** Paths of the API that its fields show. */
export const isDocumentationPath = (path: string): boolean =>
  /^(?:description|runbook_url|responsible|links)(?:[.[]|$)/.test(path)
