import type { Documentation } from './documentation.ts'

/** Apart from the rest, which comes where there is something to show. */
export const hasDocumentation = ({ description, runbook_url, responsible = null, links = [] }: Documentation): boolean =>
  description !== null || runbook_url !== null || responsible !== null || links.length > 0
