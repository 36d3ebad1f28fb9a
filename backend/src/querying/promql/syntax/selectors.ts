import type { SyntaxNode } from '@lezer/common'
import type { Matcher } from '../model/types.ts'
import type { Expr, Selector, Shift } from './ast.ts'
import { signOf, toDuration, toNumber, toPositive } from './numbers.ts'
import { childrenOf, labelOf, type Source } from './source.ts'

export function toSelector(source: Source, node: SyntaxNode): Selector {
  const name = node.getChild('Identifier')
  const matchers: Matcher[] = []
  for (const child of childrenOf(node.getChild('LabelMatchers'))) {
    const value = child.getChild('StringLiteral')
    if (child.name === 'QuotedLabelName') matchers.push({ label: '__name__', op: '=', value: source.stringOf(value ?? child) })
    else if (value)
      matchers.push({
        label: labelOf(source, child.firstChild ?? child),
        op: source.textOf(child.getChild('MatchOp') ?? child) as Matcher['op'],
        value: source.stringOf(value),
      })
  }
  const named = matchers.find(({ label }) => label === '__name__')
  if (name && named)
    source.fail(
      node,
      `metric name must not be set twice: ${JSON.stringify(source.textOf(name))} or ${JSON.stringify(named.value)}`,
    )
  if (name) matchers.push({ label: '__name__', op: '=', value: source.textOf(name) })
  return {
    kind: 'selector',
    id: source.nextId++,
    name: name ? source.textOf(name) : undefined,
    matchers,
    from: node.from,
    to: node.to,
  }
}

/** With a range, subquery, offset or `@` after it. */
export function withSuffix(source: Source, expr: Expr, node: SyntaxNode): Expr {
  if (node.name === 'SubqueryExpr') {
    const [range, step] = node.getChildren('DurationExpr').map((one) => toPositive(source, one))
    if (!range) return source.fail(node, 'a subquery needs a range')
    return { kind: 'subquery', expr, range, ...(step && { step }), from: expr.from, to: node.to }
  }
  if (node.name === 'MatrixSelector') {
    if (expr.kind !== 'selector') return source.fail(node, 'ranges only allowed for vector selectors')
    if (expr.range) return source.fail(node, 'unexpected second range')
    if (expr.offset || expr.at !== undefined) return source.fail(node, 'no offset modifiers or @ modifiers allowed before range')
    return { ...expr, range: toPositive(source, node.getChild('DurationExpr') ?? node), to: node.to }
  }
  if (expr.kind !== 'selector' && expr.kind !== 'subquery')
    return source.fail(
      node,
      'an offset or @ modifier must be preceded by an instant vector selector, a range vector selector or a subquery',
    )
  return { ...expr, ...toShift(source, expr, node), to: node.to }
}

function toShift(source: Source, expr: Shift, node: SyntaxNode): Shift {
  if (node.name === 'OffsetExpr') {
    if (expr.offset) source.fail(node, 'offset may not be set multiple times')
    return { offset: toDuration(source, node.getChild('OffsetDurationExpr') ?? node) }
  }
  if (expr.at !== undefined) source.fail(node, '@ <timestamp> may not be set multiple times')
  const literal = node.getChildren('NumberDurationLiteral').at(-1)
  const isLiteral = literal && literal.from > (node.getChild('At')?.from ?? 0)
  if (!isLiteral) return { at: node.getChild('AtModifierPreprocessors')?.getChild('AtStart') ? 'start' : 'end' }
  const value = toNumber(source, literal).value * (signOf(source, literal) === '-' ? -1 : 1)
  if (!Number.isFinite(value) || Math.abs(value) > Number.MAX_SAFE_INTEGER / 1_000)
    source.fail(node, 'timestamp out of bounds for @ modifier')
  return { at: Math.round(value * 1_000) }
}
