/** By the answers themselves, so that they stay what the API sent. */
const etags = new WeakMap<object, string>()

export function noteEtag(content: unknown, { headers }: Response): void {
  const etag = headers.get('etag')
  if (etag !== null && typeof content === 'object' && content !== null) etags.set(content, etag)
}

/** The ETag with which an answer came, for `ifMatch`; undefined for a copy of it, and for what has none, as lists. */
export const etagOf = (answer: object): string | undefined => etags.get(answer)
