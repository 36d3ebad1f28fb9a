import type { StatusPagePreview } from '@vedette/shared'
import type { Tenant } from '../../../access/auth/index.ts'
import { notFound } from '../../../platform/errors.ts'
import { readPage } from '../reading/read.ts'
import { renderPage } from '../render/html.ts'
import { addressOf } from '../pages/address.ts'
import type { PageDeps } from '../pages/service.ts'

export type PreviewDeps = Pick<PageDeps, 'db' | 'clock' | 'publicUrl'>

/** The page as visitors would see it now, published or not. Throws not_found across organizations. */
export async function previewPage({ db, clock, publicUrl }: PreviewDeps, tenant: Tenant, id: string): Promise<StatusPagePreview> {
  const read = await readPage(db, tenant.number, id, clock.now())
  if (!read) throw notFound()
  const { slug, domain } = read.model
  const url = addressOf(publicUrl(), slug, domain)
  const context = { url, base: `/status/${slug}`, query: '', isBehind: false, isAlone: true, takesSubscribers: false }
  return { html: renderPage(read.model, context).body }
}
