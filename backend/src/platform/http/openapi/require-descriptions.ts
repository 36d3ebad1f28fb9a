import type { Document, Media, Operation, Reference, Response } from './document.ts'

const OPERATION_ID = /^[a-z]+(?:[A-Z][a-z]+)+$/

/** Throws an error that lists all operations without a description, a unique name or an example. */
export function requireDescriptions(document: Document, tags: ReadonlySet<string>): void {
  const names = new Set<string>()
  const faults = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).flatMap(([method, operation]) =>
      faultsOf(operation, tags, names).map((fault) => `${method.toUpperCase()} ${path} is missing ${fault}`),
    ),
  )
  if (faults.length > 0) throw new Error(faults.join('\n'))
}

function faultsOf(operation: Operation, tags: ReadonlySet<string>, names: Set<string>): string[] {
  const { operationId = '', summary, description, tags: given = [] } = operation
  const faults = [
    summary ? '' : 'a summary',
    description ? '' : 'a description',
    OPERATION_ID.test(operationId) ? '' : 'an operationId of verb and noun (listServers)',
    names.has(operationId) ? `an operationId that is not taken (${operationId})` : '',
    given.length === 1 && tags.has(given[0] as string) ? '' : 'one tag that the description explains',
    ...(operation.parameters ?? []).map((parameter) =>
      '$ref' in parameter || parameter.description ? '' : `a description of ${parameter.name}`,
    ),
    hasExamples(operation.requestBody?.content) ? '' : 'an example of its body',
    ...Object.entries(operation.responses).map(([status, response]) =>
      isReference(response) || hasExamples(response.content) ? '' : `an example of ${status}`,
    ),
  ]
  names.add(operationId)
  return faults.filter((fault) => fault !== '')
}

const isReference = (response: Response | Reference): response is Reference => '$ref' in response

const hasExamples = (content: Record<string, Media> = {}): boolean =>
  Object.values(content).every(({ examples = {} }) => Object.keys(examples).length > 0)
