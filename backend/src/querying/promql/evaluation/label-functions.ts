import { RE2JS } from 're2js'
import { executionError } from '../model/error.ts'
import { type Expr, withoutParens } from '../syntax/ast.ts'
import { type Column, refuseDuplicates } from './columns.ts'
import { type Labels, valueOf, withLabel } from './labels.ts'

const textOf = (expr: Expr | undefined): string => {
  const inner = expr && withoutParens(expr)
  return inner?.kind === 'string' ? inner.value : ''
}

function destination(func: string, expr: Expr | undefined): string {
  const name = textOf(expr)
  // What is no UTF-8 was read as this sign.
  if (name === '' || name.includes('\ufffd')) throw executionError(`invalid destination label name in ${func}(): ${name}`)
  return name
}

function relabel(columns: readonly Column[], to: (labels: Labels) => Labels): Column[] {
  return refuseDuplicates(columns.map((column) => ({ ...column, labels: to(column.labels) })))
}

export function replaceLabel(columns: readonly Column[], [, target, replacement, source, pattern]: readonly Expr[]): Column[] {
  const name = destination('label_replace', target)
  const template = textOf(replacement)
  const compiled = compile(textOf(pattern))
  return relabel(columns, (labels) => {
    const value = valueOf(labels, textOf(source))
    const matcher = compiled.matcher(value)
    if (!matcher.matches()) return labels
    return withLabel(
      labels,
      name,
      expand(template, (group) => groupOf(matcher, group)),
    )
  })
}

function compile(source: string): RE2JS {
  try {
    return RE2JS.compile(source, RE2JS.DOTALL)
  } catch {
    throw executionError(`invalid regular expression in label_replace(): ${source}`)
  }
}

/** Empty for a group that the pattern does not have. */
function groupOf(matcher: ReturnType<RE2JS['matcher']>, group: string): string {
  try {
    const found = matcher.group(/^\d+$/.test(group) ? Number(group) : group)
    return found ?? ''
  } catch {
    return ''
  }
}

/** `$1`, `$name` and `${name}` as in Go: the longest word is the name, `$$` is one sign. */
const expand = (template: string, groupText: (group: string) => string): string =>
  template.replaceAll(/\$(?:\$|(\w+)|\{(\w+)\})/g, (whole, word: string | undefined, braced: string | undefined) =>
    whole === '$$' ? '$' : groupText(word ?? braced ?? ''),
  )

export function joinLabels(columns: readonly Column[], [, target, separator, ...sources]: readonly Expr[]): Column[] {
  const name = destination('label_join', target)
  const names = sources.map(textOf)
  if (names.includes('')) throw executionError('invalid source label name in label_join(): ')
  return relabel(columns, (labels) =>
    withLabel(labels, name, names.map((source) => valueOf(labels, source)).join(textOf(separator))),
  )
}
