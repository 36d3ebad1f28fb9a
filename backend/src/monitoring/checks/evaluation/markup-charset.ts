/** Browsers look at the first 1,024 bytes, and longer while they are within the head. */
const EXAMINED_BYTES = 4_096
/** Of labels that nobody knows, each of which costs a try. */
const MAX_LABELS = 5

/**
 * The labels of the charset that a document names itself: the encoding of an XML declaration, then those in the `<meta>` of HTML, as in
 * the prescan of the HTML standard. None for other types of content. Pure.
 */
export function labelsInMarkup(body: Uint8Array, contentType: string | undefined): string[] {
  const type =
    /^[^;,]*/
      .exec(contentType ?? '')?.[0]
      .trim()
      .toLowerCase() ?? ''
  const isHtml = type === '' || type === 'text/html' || type === 'application/xhtml+xml'
  if (!isHtml && !/[/+]xml$/.test(type)) return []
  const text = Buffer.from(body.buffer, body.byteOffset, Math.min(body.length, EXAMINED_BYTES)).toString('latin1')
  return [...labelsOfDeclaration(text), ...(isHtml ? labelsOfMeta(text) : [])]
}

const labelsOfDeclaration = (text: string): string[] =>
  (/^<\?xml\s[^>]*?\bencoding\s*=\s*(?:"([^">]*)"|'([^'>]*)')/.exec(text) ?? [])
    .slice(1, 3)
    .filter((label) => label !== undefined)

/** Comments and other tags are skipped with their attributes, which may contain anything. Takes linear time. */
function labelsOfMeta(text: string): string[] {
  const labels: string[] = []
  for (let at = text.indexOf('<'); at !== -1 && labels.length < MAX_LABELS; at = text.indexOf('<', at)) {
    const isComment = text.startsWith('<!--', at)
    const [name] = take(/<\/?[a-z][^\s/>]*/iy, text, at) ?? []
    // A quotation mark without its other one ends with the tag.
    const contents =
      name === undefined ? undefined : (take(QUOTED, text, at + name.length) ?? take(PLAIN, text, at + name.length))
    if (name?.toLowerCase() === '<meta' && contents) {
      const label = labelOf(attributesIn(contents[0]))
      if (label !== undefined) labels.push(label)
    }
    const end = isComment ? text.indexOf('-->', at + 2) : contents ? at + (name?.length ?? 0) + contents[0].length : at + 1
    if (end === -1) break
    at = end
  }
  return labels
}

/** Up to the end of a tag. Values are bounded, so that each tag takes bounded time. */
const QUOTED = /(?:[^<>"']|"[^"]{0,500}"|'[^']{0,500}'){0,1000}>/y
const PLAIN = /[^<>]*>?/y

function take(sticky: RegExp, text: string, at: number): RegExpExecArray | undefined {
  sticky.lastIndex = at
  return sticky.exec(text) ?? undefined
}

const ATTRIBUTE = /([^\s/=>"']+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>"']+)))?/g

/** By name in lower case; of an attribute that is repeated the first one applies. */
function attributesIn(text: string): ReadonlyMap<string, string> {
  const found = new Map<string, string>()
  for (const [, name = '', ...values] of text.matchAll(ATTRIBUTE)) {
    const lower = name.toLowerCase()
    if (!found.has(lower)) found.set(lower, values.find((value) => value !== undefined) ?? '')
  }
  return found
}

function labelOf(attributes: ReadonlyMap<string, string>): string | undefined {
  const charset = attributes.get('charset')
  if (charset !== undefined) return charset
  if (attributes.get('http-equiv')?.trim().toLowerCase() !== 'content-type') return undefined
  const [, ...labels] = /charset\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s;"']+))/i.exec(attributes.get('content') ?? '') ?? []
  return labels.find((label) => label !== undefined)
}
