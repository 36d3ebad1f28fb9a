import * as shared from '@vedette/shared'
import type { ErrorDetail } from '@vedette/shared'
import type { TSchema } from 'typebox'
import { Errors } from 'typebox/schema'
import { messages } from '../messages/index.ts'

/** The schemas by the text with which others refer to them. */
const NAMED = Object.fromEntries(
  Object.values<unknown>(shared).flatMap((value): [string, TSchema][] =>
    typeof value === 'object' && value !== null && '$id' in value ? [[`${String(value.$id)}#`, value as TSchema]] : [],
  ),
)

/** The names of the bodies whose schemas are checked here. */
export type BodyName = {
  [Name in keyof typeof shared]: Name extends `${string}Body` ? ((typeof shared)[Name] extends TSchema ? Name : never) : never
}[keyof typeof shared]

/** What the schema of a body refuses, one message for each field, with the paths that the API's errors have. */
export function findFaults(name: BodyName, body: unknown): ErrorDetail[] {
  const [, errors] = Errors(NAMED, { $ref: `${name}#` }, body)
  const faults = new Map<string, string>()
  for (const { keyword, instancePath, params } of errors) {
    const path = instancePath.slice(1).replaceAll('/', '.')
    const missing = 'requiredProperties' in params ? params.requiredProperties : undefined
    for (const at of missing?.map((field) => (path === '' ? field : `${path}.${field}`)) ?? [path]) {
      const limit = 'limit' in params ? Number(params.limit) : 0
      if (!faults.has(at)) faults.set(at, (messages.faults.byKeyword[keyword] ?? messages.faults.other)(limit))
    }
  }
  return [...faults].map(([path, message]) => ({ path, message }))
}
