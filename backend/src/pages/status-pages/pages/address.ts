import type { PageKeys } from './keys.ts'
import type { PageRow } from './store.ts'

/** The absolute address of a page without a slash at its end; `domain` is proven. */
export const addressOf = (publicUrl: string, slug: string, domain: string | null): string =>
  domain === null ? `${publicUrl}/status/${slug}` : `https://${domain}`

export type AddressedPage = Pick<PageRow, 'id' | 'domain' | 'domain_verified_at' | 'slug' | 'visibility' | 'link_version'>

/** The address of a page, or of a path below it, with the key of a page that has one. */
export function linkTo(
  { keys, publicUrl }: { keys: PageKeys; publicUrl(): string },
  { id, domain, domain_verified_at: verifiedAt, slug, visibility, link_version: version }: AddressedPage,
  path = '',
): string {
  const isOwn = domain !== null && verifiedAt !== null
  const base = addressOf(publicUrl(), slug, isOwn ? domain : null) + (isOwn && path === '' ? '/' : path)
  return visibility === 'link' ? `${base}?key=${keys.ofLink(id, version)[0]}` : base
}
