import type { AssertionEvaluator } from '../evaluator.ts'
import { compileJsonSchema } from '../json-schema.ts'
import { formatValue } from '../messages.ts'

/** The whole body against a JSON Schema. */
export const bodyJson: AssertionEvaluator = {
  failure({ value }, { text }) {
    const schema = compileJsonSchema(String(value))
    if ('fault' in schema) return 'the JSON schema cannot be used'
    const body = text()
    let document: unknown
    try {
      document = JSON.parse(body)
    } catch {
      return 'the response is not JSON'
    }
    const failure = schema.failure(document, body.length)
    if (failure === undefined) return undefined
    return 'fault' in failure ? failure.fault : `the body breaks the schema at ${formatValue(failure.at)} (${failure.keyword})`
  },
  fault({ value }) {
    const schema = compileJsonSchema(String(value))
    return 'fault' in schema ? { path: 'value', message: `the JSON schema ${schema.fault}` } : undefined
  },
}
