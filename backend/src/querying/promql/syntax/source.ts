import type { SyntaxNode } from '@lezer/common'
import { parseError } from '../model/error.ts'
import { unquote } from './literals.ts'

/** The text of a query, and where its nesting stands while it is read. */
export interface Source {
  textOf(node: SyntaxNode): string
  stringOf(node: SyntaxNode): string
  fail(node: { from: number }, message: string): never
  depth: number
  /** Of the next selector. */
  nextId: number
}

export function createSource(expression: string): Source {
  const textOf = (node: SyntaxNode) => expression.slice(node.from, node.to)
  const fail = (node: { from: number }, message: string): never => {
    throw parseError(expression, node.from, message)
  }
  return {
    textOf,
    fail,
    stringOf: (node) => unquote(textOf(node)) ?? fail(node, `${textOf(node)} is not a quoted string`),
    depth: 0,
    nextId: 0,
  }
}

export function childrenOf(node: SyntaxNode | null | undefined): SyntaxNode[] {
  const children: SyntaxNode[] = []
  for (let child = node?.firstChild; child; child = child.nextSibling) if (child.name !== 'LineComment') children.push(child)
  return children
}

export const expressionsIn = (node: SyntaxNode): SyntaxNode[] => childrenOf(node).filter(({ type }) => type.is('Expr'))

/** Of a quoted or a plain label. */
export function labelOf(source: Source, node: SyntaxNode): string {
  const quoted = node.name === 'StringLiteral' ? node : node.getChild('StringLiteral')
  return quoted ? source.stringOf(quoted) : source.textOf(node)
}

export const labelsOf = (source: Source, grouping: SyntaxNode | null | undefined): string[] =>
  childrenOf(grouping).map((node) => labelOf(source, node))
