import { InvalidInput } from '../../lib/errors.ts'

/** Faults that stand at no field of the page, since no field shows them. */
export function furtherFaults(error: unknown): string[] {
  if (!(error instanceof InvalidInput)) return []
  return error.details.filter(({ path }) => !PLACED.test(path)).map(({ message }) => message)
}

const PLACED =
  /^(?:name|type|url|method|interval|timeout|confirmations|regions|depends_on|active_hours|description|runbook_url|responsible|links|options|credentials|headers|body|assertions)(?:[.[]|$)/
