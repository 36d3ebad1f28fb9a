import type { ErrorDetail } from '../../wire/errors.ts'
import { quantity } from '../../wire/quantity.ts'
import type { CheckKindSpec, OptionSpec } from './kinds/index.ts'
import { MAX_OPTIONS_BYTES } from './limits.ts'
import { NETWORK_OPTIONS } from './network/options.ts'
import { networkCredentialsOf, networkOptionsOf, networkRefusal } from './network/refusals.ts'

/** Faults of the options of a kind, with the bound and the unit of each. Pure. */
export function optionFaults(type: string, kind: CheckKindSpec, given: Readonly<Record<string, unknown>>): ErrorDetail[] {
  if (new TextEncoder().encode(JSON.stringify(given)).length > MAX_OPTIONS_BYTES)
    return [{ path: 'options', message: `must have at most ${MAX_OPTIONS_BYTES} bytes as JSON (32 KiB)` }]
  const common = networkOptionsOf(kind)
  const specs: CheckKindSpec['options'] = {
    ...Object.fromEntries(common.map((name) => [name, NETWORK_OPTIONS[name]])),
    ...kind.options,
  }
  const refused = Object.keys(given).flatMap((name) => {
    const message = Object.hasOwn(specs, name) ? undefined : networkRefusal(type, kind, name)
    return message === undefined ? [] : [{ path: `options.${name}`, message }]
  })
  const isRefused = (name: string) => refused.some(({ path }) => path === `options.${name}`)
  const unrefused = Object.fromEntries(Object.entries(given).filter(([name]) => !isRefused(name)))
  const unknown = unknownNames('options', `checks of type ${type}`, specs, unrefused)
  const known = Object.entries(specs).flatMap(([name, spec]) => {
    const message = optionFault(spec, Object.hasOwn(given, name) ? given[name] : undefined)
    return message === undefined ? [] : [{ path: `options.${name}`, message }]
  })
  return [...refused, ...unknown, ...known]
}

/** Faults of the credentials of a kind; no message contains a value. Pure. */
export function credentialFaults(type: string, kind: CheckKindSpec, given: Readonly<Record<string, string>>): ErrorDetail[] {
  const specs: CheckKindSpec['credentials'] = { ...kind.credentials, ...networkCredentialsOf(kind) }
  const unknown = unknownNames('credentials', `checks of type ${type}`, specs, given)
  const known = Object.entries(specs).flatMap(([name, { maxLength }]) =>
    (given[name]?.length ?? 0) > maxLength
      ? [{ path: `credentials.${name}`, message: `must have at most ${maxLength} characters` }]
      : [],
  )
  return [...unknown, ...known]
}

function unknownNames(field: string, whose: string, specs: object, given: object): ErrorDetail[] {
  const names = Object.keys(specs)
  const have = names.length === 0 ? `${whose} have none` : `${whose} have ${names.join(', ')}`
  return Object.keys(given)
    .filter((name) => !Object.hasOwn(specs, name))
    .map((name) => ({ path: `${field}.${name}`, message: `is not known: ${have}` }))
}

function optionFault(spec: OptionSpec, value: unknown): string | undefined {
  if (value === undefined) return 'isRequired' in spec ? 'is required' : undefined
  switch (spec.form) {
    case 'text':
      if (typeof value !== 'string' || value.length > spec.maxLength)
        return `must be a text of at most ${spec.maxLength} characters`
      return spec.isRequired && value === '' ? 'must not be empty' : undefined
    case 'number': {
      const { minimum, maximum, unit } = spec
      const isWithin = Number.isInteger(value) && (value as number) >= minimum && (value as number) <= maximum
      return isWithin
        ? undefined
        : `must be a whole number from ${minimum} to ${unit === undefined ? maximum : quantity(maximum, unit)}`
    }
    case 'boolean':
      return typeof value === 'boolean' ? undefined : 'must be true or false'
    case 'choice':
      return spec.choices.includes(value as string) ? undefined : `must be one of ${spec.choices.join(', ')}`
    case 'list':
      return isListOf(value, spec)
        ? undefined
        : `must be a list of at most ${spec.maxItems} texts of 1 to ${spec.maxLength} characters`
    case 'own':
      return undefined
  }
}

const isListOf = (value: unknown, { maxItems, maxLength }: { maxItems: number; maxLength: number }): boolean =>
  Array.isArray(value) &&
  value.length <= maxItems &&
  value.every((item) => typeof item === 'string' && item !== '' && item.length <= maxLength)
