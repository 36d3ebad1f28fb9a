import { parseSync } from 'oxc-parser'
import { isObject, type SyntaxNode, visit } from '../imports/syntax.ts'

/** A piece of a file that people read. */
export interface Fragment {
  kind: 'text' | 'name'
  text: string
  /** Where it starts; 1 is the first line. */
  line: number
}

/** Comments, strings, texts of the page and identifiers of a source file; any other file is one text. */
export function fragmentsOf(path: string, text: string): Fragment[] {
  return /\.[cm]?[jt]sx?$/.test(path) ? fragmentsOfSource(path, text) : [{ kind: 'text', text, line: 1 }]
}

function fragmentsOfSource(path: string, text: string): Fragment[] {
  const { program, comments } = parseSync(path, text)
  const lineOf = lineFinder(text)
  const fragments: Fragment[] = []
  const add = (value: unknown, start: number, kind?: 'name') => {
    if (typeof value !== 'string' || value === '') return
    fragments.push({ kind: kind ?? (/\s/.test(value) ? 'text' : 'name'), text: value, line: lineOf(start) })
  }
  for (const comment of joinLineComments(comments, text))
    fragments.push({ kind: 'text', ...comment, line: lineOf(comment.start) })
  visit(program as unknown as SyntaxNode, (node) => {
    if (node.type === 'Literal') add(node['value'], node.start)
    else if (node.type === 'JSXText') add(node['value'], node.start)
    else if (node.type === 'TemplateElement') add((node['value'] as { cooked?: string }).cooked, node.start)
    else if (isName(node)) add(node['name'], node.start, 'name')
  })
  return fragments.sort((a, b) => a.line - b.line)
}

const isName = (node: SyntaxNode) => isObject(node) && /^(?:Identifier|PrivateIdentifier|JSXIdentifier)$/.test(node.type)

/** Comments of `//` that follow each other without code between them are one text: phrases run over their lines. */
function joinLineComments(
  comments: readonly { type: string; value: string; start: number; end: number }[],
  text: string,
): { text: string; start: number }[] {
  const joined: { text: string; start: number; end: number; isLine: boolean }[] = []
  for (const { type, value, start, end } of comments) {
    const before = joined.at(-1)
    const isLine = type === 'Line'
    if (isLine && before?.isLine && /^\s*\n\s*$/.test(text.slice(before.end, start))) {
      before.text += `${'\n'.repeat(text.slice(before.end, start).split('\n').length - 1)}${value}`
      before.end = end
    } else joined.push({ text: value.replaceAll(/\n\s*\*/g, '\n'), start, end, isLine })
  }
  return joined
}

/** Line of an offset, by the offsets at which lines start. */
function lineFinder(text: string): (offset: number) => number {
  const starts = [0]
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  return (offset) => {
    let low = 0
    let high = starts.length
    while (high - low > 1) {
      const middle = (low + high) >> 1
      if ((starts[middle] as number) <= offset) low = middle
      else high = middle
    }
    return low + 1
  }
}
