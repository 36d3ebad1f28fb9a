import { type ErrorDetail, referred } from '@vedette/shared'
import type { TSchema } from 'typebox'
import { Errors } from 'typebox/schema'
import { BODIES, type BodyName } from './bodies.ts'
import { messages } from '../messages/index.ts'
import { duration } from './format.ts'
import { locale } from '../messages/language.ts'

/** The schemas of bodies that were loaded, and those to which they refer, by the text with which others refer to them. */
const named: Record<string, TSchema> = {}

export async function loadBody(name: BodyName): Promise<void> {
  const body = await BODIES[name]()
  for (const schema of [body, ...referred(body)]) named[`${(schema as { $id?: string }).$id}#`] = schema
}

/** What the schema of a body refuses, one message for each field, with the paths that the API's errors have. `loadBody` comes first. */
export function findFaults(name: BodyName, body: unknown): ErrorDetail[] {
  const [, errors] = Errors(named, { $ref: `${name}#` }, body)
  const faults = new Map<string, string>()
  for (const { keyword, instancePath, schemaPath, params } of errors) {
    const path = instancePath.slice(1).replaceAll('/', '.')
    const missing = 'requiredProperties' in params ? params.requiredProperties : undefined
    for (const at of missing?.map((field) => (path === '' ? field : `${path}.${field}`)) ?? [path]) {
      if (faults.has(at)) continue
      const isSeconds = at.endsWith('_seconds') || unitOf(named[`${name}#`], schemaPath) === 'seconds'
      faults.set(at, messageOf(keyword, 'limit' in params ? Number(params.limit) : 0, isSeconds))
    }
  }
  return [...faults].map(([path, message]) => ({ path, message }))
}

function messageOf(keyword: string, limit: number, isSeconds: boolean): string {
  const { byKeyword, duration: noDuration, other } = messages.faults
  if (isSeconds && keyword === 'type') return noDuration
  return (byKeyword[keyword] ?? other)(isSeconds ? duration(limit) : limit.toLocaleString(locale))
}

/** The unit of a number: a word of our own in its schema. */
function unitOf(root: unknown, schemaPath: string): unknown {
  let schema = root
  for (const name of [...schemaPath.split('/').slice(1), 'x-unit'])
    schema = (schema as Record<string, unknown> | undefined)?.[name]
  return schema
}
