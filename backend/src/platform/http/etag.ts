/** Whether an `If-Match` or `If-None-Match` names this tag. Weak comparison: an encoding of the answer is the same resource. */
export function namesTag(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false
  const opaque = (tag: string) => tag.trim().replace(/^W\//, '')
  return header.trim() === '*' || header.split(',').some((tag) => opaque(tag) === opaque(etag))
}
