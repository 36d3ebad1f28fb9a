/**
 * The part of Markdown that descriptions have: links, lists and code. Everything else stays the text that it is, HTML too. It gives parts
 * and no markup, so that no page can show more than it was given. This file needs no schema library.
 */

export type MarkdownPart =
  | { type: 'text'; text: string }
  | { type: 'code'; text: string }
  /** `url` begins with http:, https: or mailto:. */
  | { type: 'link'; text: string; url: string }

export type MarkdownBlock =
  /** Lines of one paragraph. */
  | { type: 'paragraph'; lines: MarkdownPart[][] }
  | { type: 'list'; isOrdered: boolean; items: MarkdownPart[][] }
  | { type: 'code'; text: string }

const FENCE = /^ {0,3}```/
const ITEM = /^ {0,3}(?:[-*+]|(\d{1,9})[.)]) +(\S.*)$/

/** Pure; the time grows with the length of the text. */
export function parseMarkdown(text: string): MarkdownBlock[] {
  const blocks: MarkdownBlock[] = []
  let isOpen = false
  const lines = text.split(/\r\n|\r|\n/)
  for (let index = 0; index < lines.length; index += 1) {
    const line = lines[index] as string
    const last = isOpen ? blocks.at(-1) : undefined
    isOpen = line.trim() !== ''
    if (!isOpen) continue
    const item = ITEM.exec(line)
    if (FENCE.test(line)) {
      const end = lines.findIndex((one, at) => at > index && FENCE.test(one))
      const stop = end === -1 ? lines.length : end
      blocks.push({ type: 'code', text: lines.slice(index + 1, stop).join('\n') })
      index = stop
      isOpen = false
    } else if (item) {
      const parts = parseParts(item[2] as string)
      const isOrdered = item[1] !== undefined
      if (last?.type === 'list' && last.isOrdered === isOrdered) last.items.push(parts)
      else blocks.push({ type: 'list', isOrdered, items: [parts] })
    } else if (last?.type === 'list') last.items.at(-1)?.push({ type: 'text', text: ' ' }, ...parseParts(line.trim()))
    else if (last?.type === 'paragraph') last.lines.push(parseParts(line))
    else blocks.push({ type: 'paragraph', lines: [parseParts(line)] })
  }
  return blocks
}

/** Code, a link with a name, an address in angle brackets, an address alone: none of them crosses a line. */
const PART =
  /(?<ticks>`{1,2})(?<code>[^`]+)\k<ticks>|\[(?<name>[^[\]]{1,500})\]\((?<target>[^\s()<>]{1,2000}(?:\([^\s()<>]{0,500}\)[^\s()<>]{0,500})?)\)|<(?<angled>(?:https?|mailto):[^\s<>]{1,2000})>|(?<bare>https?:\/\/[^\s<>[\]"'`]{1,2000})/giu

function parseParts(line: string): MarkdownPart[] {
  const parts: MarkdownPart[] = []
  let from = 0
  const addText = (text: string) => {
    const last = parts.at(-1)
    if (last?.type === 'text') last.text += text
    else if (text !== '') parts.push({ type: 'text', text })
  }
  for (const match of line.matchAll(PART)) {
    addText(line.slice(from, match.index))
    const { part, rest } = toPart(match[0], match.groups as Record<string, string | undefined>)
    if (part) parts.push(part)
    addText(rest)
    from = match.index + match[0].length
  }
  addText(line.slice(from))
  return parts
}

function toPart(
  whole: string,
  { code, name, target, angled, bare }: Record<string, string | undefined>,
): { part: MarkdownPart | undefined; rest: string } {
  if (code !== undefined) return { part: { type: 'code', text: code }, rest: '' }
  // A sentence ends after an address, not in it.
  const ending = bare === undefined ? '' : (/[.,:;!?)]+$/.exec(bare)?.[0] ?? '')
  const text = bare?.slice(0, bare.length - ending.length) ?? name ?? angled ?? ''
  const url = safeUrl(target ?? angled ?? text)
  return url === undefined ? { part: undefined, rest: whole } : { part: { type: 'link', text, url }, rest: ending }
}

const SAFE_SCHEMES: ReadonlySet<string> = new Set(['http:', 'https:', 'mailto:'])

/** The URL as a browser reads it; undefined for any scheme that does more than open a page or a mail. Pure. */
export function safeUrl(text: string): string | undefined {
  const url = URL.parse(text)
  return url && SAFE_SCHEMES.has(url.protocol) ? url.href : undefined
}
