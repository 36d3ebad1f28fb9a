import { type ErrorDetail, type StepCapture, stepsIn } from '@vedette/shared'
import { compilePath, createBudget, type Observation, validatePatterns } from '../../../evaluation/index.ts'

/** Longer values are refused: a token has some thousand characters at most. */
const MAX_VALUE_LENGTH = 4_096

/** The value of a response, or why there is none. */
export function capture(
  { name, json_path: path, header }: StepCapture,
  { headers, text }: Observation,
): string | { fault: string } {
  const found = header === undefined ? firstAt(text(), path ?? '') : headerOf(headers, header)
  if (found === undefined) return { fault: `nothing to capture as {{${name}}}` }
  return found.length <= MAX_VALUE_LENGTH
    ? found
    : { fault: `the value for {{${name}}} has more than ${MAX_VALUE_LENGTH} characters` }
}

/** The first value that the path selects, as text; undefined without one. */
function firstAt(text: string, path: string): string | undefined {
  const compiled = compilePath(path)
  if ('fault' in compiled) return undefined
  try {
    const selected = compiled.select(JSON.parse(text), createBudget([]))
    const [value] = 'fault' in selected ? [] : selected.values
    return value === undefined || value === null ? undefined : typeof value === 'string' ? value : JSON.stringify(value)
  } catch {
    // Not JSON.
    return undefined
  }
}

function headerOf(headers: Observation['headers'], name: string): string | undefined {
  const value = headers.get(name.toLowerCase())
  return name.toLowerCase() === 'set-cookie' ? value?.split(';', 1)[0] : value
}

/** Patterns and paths of steps that cannot be used. Total: the options may be invalid. */
export function patternFaultsOfSteps(options: Readonly<Record<string, unknown>>): ErrorDetail[] {
  return stepsIn(options)
    .slice(0, MAX_CHECKED)
    .flatMap((step, index) => {
      const path = `options.steps.${index}`
      const assertions = (Array.isArray(step?.assertions) ? step.assertions : []).filter(
        (one) => typeof one === 'object' && one !== null,
      )
      const captures = Array.isArray(step?.captures) ? step.captures : []
      const ofPaths = captures.flatMap((one, position) => {
        const compiled = typeof one?.json_path === 'string' ? compilePath(one.json_path) : undefined
        return compiled && 'fault' in compiled
          ? [{ path: `${path}.captures.${position}.json_path`, message: `the path ${compiled.fault}` }]
          : []
      })
      const ofAssertions = validatePatterns(assertions.slice(0, MAX_CHECKED) as Parameters<typeof validatePatterns>[0])
      return [...ofAssertions.map((fault) => ({ ...fault, path: `${path}.${fault.path}` })), ...ofPaths]
    })
}

/** Longer lists are refused anyway. */
const MAX_CHECKED = 20
