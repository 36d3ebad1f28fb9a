import { ConfigurationResource, CONFIGURATION_KINDS, ID_PREFIX, referred } from '@vedette/shared'
import type { TSchema } from 'typebox'
import type { Kinds } from './kinds.ts'

type Schema = Record<string, unknown>

/** A reference in place of an id, and a variable of the environment in place of a secret. */
const REFERENCE = {
  type: 'object',
  required: ['ref'],
  additionalProperties: false,
  properties: { ref: { type: 'string', pattern: `^(${CONFIGURATION_KINDS.join('|')}):[A-Za-z0-9._/-]+$` } },
}
const VARIABLE = {
  type: 'object',
  required: ['from'],
  additionalProperties: false,
  properties: { from: { type: 'string', pattern: '^env:[A-Za-z_][A-Za-z0-9_]*$' } },
}

const ID_FIELD = /^(id|.*_id|.*_ids|monitors)$/
const ID_PATTERN = new RegExp(`^\\^(${Object.values(ID_PREFIX).join('|')})_`)

const isText = ({ type }: Schema): boolean => type === 'string' || (Array.isArray(type) && type.includes('string'))

/** The schema of a body with what files may have in place of its values; annotations of ours are left out. Pure. */
function forFiles(schema: unknown, field = ''): unknown {
  if (Array.isArray(schema)) return schema.map((part: unknown) => forFiles(part, field))
  if (typeof schema !== 'object' || schema === null) return schema
  const own = schema as Schema
  const { $id: _id, 'x-form': _form, properties, patternProperties, items, $ref, ...rest } = own
  if (typeof $ref === 'string') return { $ref: `#/$defs/${$ref.replace(/#$/, '')}` }
  const changed: Schema = {
    ...rest,
    ...(typeof properties === 'object' && {
      properties: Object.fromEntries(Object.entries(properties as Schema).map(([name, part]) => [name, forFiles(part, name)])),
    }),
    ...(typeof patternProperties === 'object' && {
      patternProperties: Object.fromEntries(
        Object.entries(patternProperties as Schema).flatMap(([pattern, part]) => [
          [pattern, forFiles(part)],
          ...(ID_PATTERN.test(pattern) ? [[REFERENCE.properties.ref.pattern, forFiles(part)]] : []),
        ]),
      ),
    }),
    ...(items !== undefined && { items: forFiles(items, field) }),
  }
  for (const name of ['anyOf', 'oneOf', 'allOf', 'additionalProperties'] as const)
    if (typeof changed[name] === 'object') changed[name] = forFiles(changed[name], field)
  if (isText(own) && own.format === 'password') return { anyOf: [changed, VARIABLE] }
  return isText(own) && ID_FIELD.test(field) ? { anyOf: [changed, REFERENCE] } : changed
}

/** JSON Schema 2020-12 of one resource of a file, made from the schemas of the requests. Pure. */
export function configurationSchema(kinds: Kinds): object {
  const schemas = [...kinds.values()].map(({ kind, schema }) => ({ kind, schema }))
  const named = new Set<TSchema>()
  for (const { schema } of schemas) referred(schema, named)
  const definitions = [...named].map((schema) => [(schema as Schema).$id as string, forFiles(schema)])
  const { ref, source } = (ConfigurationResource as unknown as { properties: Record<string, unknown> }).properties
  referred(ConfigurationResource, named)
  const ofResource = [...named].filter((schema) => (schema as Schema).$id === 'ConfigurationSource')
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'A resource of the configuration of Vedette',
    type: 'object',
    required: ['kind', 'ref', 'spec'],
    oneOf: schemas.map(({ kind, schema }) => ({
      properties: { kind: { const: kind }, ref: forFiles(ref), spec: forFiles(schema), source: forFiles(source) },
      additionalProperties: false,
    })),
    $defs: Object.fromEntries([...definitions, ...ofResource.map((schema) => ['ConfigurationSource', forFiles(schema)])]),
  }
}
