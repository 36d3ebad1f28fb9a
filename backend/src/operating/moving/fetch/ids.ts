import { type Json, textOf } from '../json.ts'
import type { ApiClient } from '../api.ts'
import { isFileName } from './target-folder.ts'

/** Those whose id can be part of an address and of a file name, each once; the others are noted. */
export function withFileName(client: ApiClient, all: readonly Json[], kind: string, field: string): Json[] {
  const seen = new Set<string>()
  return all.filter((one) => {
    const id = textOf(one[field])
    // A list that changes while its pages are read can have one twice.
    if (seen.has(id)) return false
    seen.add(id)
    if (isFileName(id)) return true
    client.miss(`${kind} ${JSON.stringify(id)}`, `its ${field} cannot be a file name`)
    return false
  })
}
