/** The absolute address of a page without a slash at its end; `domain` is proven. */
export const addressOf = (publicUrl: string, slug: string, domain: string | null): string =>
  domain === null ? `${publicUrl}/status/${slug}` : `https://${domain}`
